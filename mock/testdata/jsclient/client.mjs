// Signal K's own client against a server: node client.mjs OPEN_PORT SECURED_PORT
//
// It prints what it saw as one JSON object. The test that starts it knows what
// it should have seen.
import { setTimeout as sleep } from 'node:timers/promises'
import signalk from '@signalk/client'

const { Client } = signalk
const [openPort, securedPort] = process.argv.slice(2).map(Number)
const options = port => ({
  hostname: '127.0.0.1', port, useTLS: false, reconnect: false, autoConnect: false, notifications: false,
})

// once resolves with the first event that passes; five seconds are long.
function once(client, event, passes = () => true) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no ${event}`)), 5000)
    client.on(event, e => {
      if (!passes(e)) return
      clearTimeout(timer)
      resolve(e)
    })
  })
}

const values = delta => (delta.updates ?? []).flatMap(u => u.values ?? [])
const about = path => delta => values(delta).some(v => v.path === path)

async function open() {
  const client = new Client({ ...options(openPort), deltaStreamBehaviour: 'none', notifications: true })
  const self = once(client, 'self')
  const alarm = once(client, 'notification', n => n.path === 'tanks.freshWater.0.currentLevel')
  await client.connect()
  const api = await client.API()
  const speed = once(client, 'delta', about('navigation.speedOverGround'))
  client.subscribe({ context: 'vessels.self', subscribe: [{ path: 'navigation.speedOverGround', policy: 'instant' }] })
  const seen = {
    self: await self,
    speed: values(await speed)[0].value,
    alarm: (await alarm).state,
    name: await api.get('vessels.self.name'),
    units: (await api.getMeta('vessels.self.navigation.speedOverGround')).units,
    version: (await api.get('/')).version,
  }
  // It unsubscribes in the one form that does not end the connection.
  let ended = false
  client.on('disconnect', () => { ended = true })
  client.unsubscribe()
  const depth = once(client, 'delta', about('environment.depth.belowKeel'))
  client.subscribe({ context: 'vessels.self', subscribe: [{ path: 'environment.depth.belowKeel' }] })
  await depth
  seen.endedByUnsubscribe = ended
  client.disconnect()
  return seen
}

async function secured() {
  const login = password => new Client({
    ...options(securedPort), deltaStreamBehaviour: 'self', useAuthentication: true, username: 'skipper', password,
  })
  const refused = login('wrong')
  refused.on('error', () => {})
  const why = await refused.connect().then(() => 'it was let in', e => e.message)
  refused.disconnect() // or it tries again

  const client = login('right-000')
  await client.connect()
  const api = await client.API()
  const seen = { why, name: await api.get('vessels.self.name') }

  const stranger = new Client({ ...options(securedPort), deltaStreamBehaviour: 'self' })
  let heard = 0
  stranger.on('delta', () => heard++)
  await stranger.connect()
  const strangersAPI = await stranger.API()
  seen.stranger = await strangersAPI.get('vessels.self.name').then(() => 'it may read', () => 'refused')
  const { response } = await stranger.requestDeviceAccess('A clock', 'clock-1')
  seen.asked = response.state
  for (let answer = response; seen.token === undefined; await sleep(20)) {
    answer = await (await fetch(`http://127.0.0.1:${securedPort}${answer.href}`)).json()
    if (answer.state === 'COMPLETED') seen.token = answer.accessRequest.token
  }
  seen.heardBefore = heard

  // Outside a browser its stream has no token; it logs in over the stream.
  const authenticated = once(stranger, 'authenticated')
  const first = once(stranger, 'delta')
  stranger.authenticate('skipper', 'right-000')
  await authenticated
  seen.heardAfter = values(await first).length > 0
  stranger.disconnect()
  client.disconnect()
  return seen
}

console.log(JSON.stringify({ open: await open(), secured: await secured() }))
process.exit(0)
