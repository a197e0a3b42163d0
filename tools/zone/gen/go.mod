module signalk-mcp/tools/zone/gen

go 1.26.0

require (
	github.com/ringsaturn/tzf v1.0.2
	github.com/ringsaturn/tzf-rel-lite v0.0.2025-b2
	github.com/stretchr/testify v1.12.1
	google.golang.org/protobuf v1.36.9
	signalk-mcp v0.0.0
)

require (
	github.com/mitchellh/mapstructure v1.5.0 // indirect
	github.com/paulmach/orb v0.12.0 // indirect
	github.com/tidwall/geoindex v1.7.0 // indirect
	github.com/tidwall/geojson v1.4.5 // indirect
	github.com/tidwall/rtree v1.10.0 // indirect
	github.com/twpayne/go-polyline v1.1.1 // indirect
	go.mongodb.org/mongo-driver v1.11.4 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
)

replace signalk-mcp => ../../..
