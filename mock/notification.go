package mock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// notificationKey is what a notification's id belongs to: two sources of one
// path have two notifications.
type notificationKey struct{ context, path, source string }

// notificationIDs hands out the ids, the same each run for the same seed.
type notificationIDs struct {
	ids map[notificationKey]string
	rng *rand.Rand
}

func newNotificationIDs(seed uint64) *notificationIDs {
	return &notificationIDs{map[notificationKey]string{}, rand.New(rand.NewPCG(seed, 1))}
}

func (n *notificationIDs) id(k notificationKey) string {
	if n.ids[k] == "" && len(n.ids) < maxPaths {
		n.ids[k] = formatUUID(n.rng.Uint64(), n.rng.Uint64())
	}
	return n.ids[k]
}

// formatUUID is a version 4 UUID of the given random bits.
func formatUUID(hi, lo uint64) string {
	hi = hi&^0xf000 | 0x4000
	lo = lo&^(3<<62) | 1<<63
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", hi>>32, hi>>16&0xffff, hi&0xffff, lo>>48, lo&0xffff_ffff_ffff)
}

// notificationStatus is what the server adds to a notification that nobody has
// silenced or acknowledged and that a provider raised.
const notificationStatus = `{"silenced":false,"acknowledged":false,"canSilence":true,"canAcknowledge":true,"canClear":false}`

// identify gives the notification its id and status, and turns null into the
// state normal. It returns false for a value that is neither null nor an
// object: a server swallows it.
func (s *Server) identify(context string, u *update) bool {
	v := &u.Values[0]
	if len(v.Value) == 0 || string(v.Value) == "null" {
		v.Value = json.RawMessage(`{"state":"normal","method":[],"message":""}`)
	}
	members, ok := decodeObject(v.Value)
	if !ok {
		return false
	}
	u.NotificationID = s.ids.id(notificationKey{context, v.Path, u.Source})
	var added []string
	if _, has := members["id"]; !has {
		added = append(added, fmt.Sprintf(`"id":%q`, u.NotificationID))
	}
	if _, has := members["status"]; !has {
		added = append(added, `"status":`+notificationStatus)
	}
	v.Value = appendMembers(v.Value, added)
	return true
}

// appendMembers adds members to the text of a JSON object, whose own keep their
// order.
func appendMembers(object json.RawMessage, added []string) json.RawMessage {
	text := bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(object), []byte("}")))
	if len(added) > 0 && len(text) > len("{") {
		added[0] = "," + added[0]
	}
	return fmt.Appendf(nil, "%s%s}", text, strings.Join(added, ","))
}
