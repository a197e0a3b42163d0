// A boat that is the same in every run: prints a Signal K delta a line, every
// second. The server runs it as an "Execute" provider (start.sh). Values depend
// on the number of the tick only, and are stamped with the present time unless a
// line says otherwise. It ends when the server that reads it is gone.
process.stdout.on('error', () => process.exit(0))

const print = (context, update) => console.log(JSON.stringify({ context, updates: [update] }))
const list = (members) => Object.entries(members).map(([path, value]) => ({ path, value }))
const send = ($source, values, context = 'vessels.self', timestamp = new Date().toISOString()) =>
  print(context, { $source, timestamp, values: list(values) })
const other = (mmsi) => 'vessels.urn:mrn:imo:mmsi:' + mmsi
const round = (x, decimals = 4) => Number(x.toFixed(decimals))
// wave goes from lo to hi and back in so many ticks.
const wave = (n, period, lo, hi) => round(lo + ((hi - lo) * (1 - Math.cos((2 * Math.PI * n) / period))) / 2)

function once() {
  // The server raises notifications.<path> itself when a value enters a zone.
  print('vessels.self', {
    $source: 'sim.meta',
    timestamp: new Date().toISOString(),
    meta: list({
      'environment.depth.belowKeel': {
        displayName: 'Depth under keel',
        zones: [
          { upper: 2, state: 'alarm', message: 'Shallow water' },
          { lower: 2, upper: 3, state: 'warn', message: 'Getting shallow' }
        ]
      },
      'electrical.batteries.house.voltage': {
        displayName: 'House battery',
        zones: [{ upper: 12.0, state: 'alarm', message: 'House battery low' }]
      }
    })
  })
  const says = (state, method, message) => ({ state, method, message })
  send('sim.plugin', {
    'notifications.test.nominal': says('nominal', [], 'Nominal'),
    'notifications.test.normal': says('normal', [], 'Normal'),
    'notifications.test.alert': says('alert', ['visual'], 'Alert'),
    'notifications.test.warn': says('warn', ['visual'], 'Warn'),
    'notifications.test.alarm': says('alarm', ['visual', 'sound'], 'Alarm'),
    'notifications.test.emergency': says('emergency', ['visual', 'sound'], 'Emergency'),
    'notifications.test.nomethod': { state: 'alarm', message: 'No method field' }
  })
  // Two sources on a path, of which one holds up an alarm: the first by name, and
  // the second. The tree shows the last writer's normal.
  send('sim.a', { 'notifications.test.first': says('alarm', ['visual'], 'From source a') })
  send('sim.b', { 'notifications.test.first': says('normal', [], 'Well at source b') })
  send('sim.b', { 'notifications.test.second': says('alarm', ['visual'], 'From source b') })
  send('sim.a', { 'notifications.test.second': says('normal', [], 'Well at source a') })
  // Said once, and never again.
  send('sim.once', { 'electrical.solar.roof.panelPower': 55 })
  // An old time, as replayed logs have it.
  send('sim.old', { 'environment.outside.pressure': 101300 }, 'vessels.self', '2014-08-15T19:00:00.042Z')
  // Others: a ship under way, one with an awkward name, one that is silent from
  // now on, and a buoy.
  send('sim.ais', {
    '': { name: 'CARGO ONE', mmsi: '230011111', communication: { callsignVhf: 'OH11' } },
    'design.aisShipType': { id: 70, name: 'Cargo ship' },
    'design.length': { overall: 120 },
    'sensors.ais.class': 'A',
    'navigation.state': 'motoring'
  }, other('230011111'))
  send('sim.ais', { '': { name: 'Öljy "Åbo"\n\tx', mmsi: '230022222' }, 'sensors.ais.class': 'B' }, other('230022222'))
  send('sim.ais', {
    '': { name: 'SILENT', mmsi: '230033333' },
    'navigation.position': { latitude: 60.2, longitude: 24.2 }
  }, other('230033333'))
  // A DSC call, as a radio's converter puts it below the caller.
  send('sim.dsc', {
    'notifications.sinking': { message: 'DSC Distress Received! Nature of distress: sinking' }
  }, other('230044444'))
  send('sim.ais', {
    '': { name: 'ATON A', mmsi: '992301234' },
    'navigation.position': { latitude: 60.05, longitude: 24.05 }
  }, 'atons.urn:mrn:imo:mmsi:992301234')
}

function tick(n) {
  const latitude = 60 + n * 1e-5
  const longitude = 24 + n * 2e-5
  send('sim.gps', {
    'navigation.position': { latitude: round(latitude, 6), longitude: round(longitude, 6) },
    'navigation.speedOverGround': wave(n, 60, 2.5, 3.5),
    'navigation.courseOverGroundTrue': 0.785,
    'navigation.magneticVariation': 0.1414,
    'navigation.datetime': new Date().toISOString()
  })
  send('sim.compass', {
    'navigation.headingMagnetic': wave(n, 90, 0.6, 0.7),
    'navigation.attitude': { roll: wave(n, 8, -0.1, 0.1), pitch: 0.02, yaw: null },
    'navigation.rateOfTurn': -0.0035 // 12 degrees a minute to port
  })
  send('sim.log', {
    'navigation.log': 17441025 + n,
    'navigation.trip.log': 412,
    'steering.rudderAngle': wave(n, 20, -0.15, 0.15)
  })
  // As NMEA 2000 gives it: a negative transducerToKeel, and belowKeel is the sum.
  const depth = wave(n, 120, 3.0, 9.0)
  send('sim.depth', {
    'environment.depth.belowTransducer': depth,
    'environment.depth.transducerToKeel': -1.5,
    'environment.depth.belowKeel': round(depth - 1.5)
  })
  send('sim.depth2', { 'environment.depth.belowTransducer': round(depth + 0.3) }) // a second sounder
  send('sim.wind', {
    'environment.wind.speedApparent': wave(n, 45, 6, 9),
    'environment.wind.angleApparent': wave(n, 30, -0.8, -0.4),
    'environment.wind.directionTrue': 6.2799, // 359.8 degrees, which is 000
    'environment.current': { setTrue: 1.7822, drift: 0.57 }
  })
  send('sim.temp', {
    'environment.water.temperature': 288.15,
    'environment.outside.temperature': null,
    'environment.inside.freezer.temperature': 255.15,
    'environment.inside.relativeHumidity': 0.634
  })
  send('sim.engine', {
    'propulsion.port.revolutions': wave(n, 40, 20, 35),
    'propulsion.port.temperature': wave(n, 40, 350, 360),
    'propulsion.port.oilPressure': 310000,
    'propulsion.port.runTime': 4512600,
    'propulsion.port.fuel.rate': 1.1e-6,
    'propulsion.port.state': 'started'
  })
  send('sim.bms', {
    'electrical.batteries.house.voltage': wave(n, 100, 11.9, 12.9),
    'electrical.batteries.house.current': -8.5,
    'electrical.batteries.house.capacity.stateOfCharge': wave(n, 100, 0.3, 0.8),
    'electrical.batteries.house.capacity.timeRemaining': 12000,
    'electrical.batteries.house.name': 'House'
  })
  send('sim.bms', { 'electrical.batteries.start.voltage': 12.8, 'electrical.batteries.start.name': 'Start' })
  send('sim.charger', { 'electrical.chargers.shore.current': 3.2, 'electrical.switches.anchorLight.state': true })
  send('sim.tank', {
    'tanks.fuel.0.currentLevel': 0.42,
    'tanks.fuel.0.capacity': 0.2,
    'tanks.freshWater.0.currentLevel': 0.9,
    'tanks.freshWater.0.currentVolume': 0.0054
  })
  if (n % 3 === 0) {
    send('sim.ais', {
      'navigation.position': { latitude: round(latitude + 0.02, 6), longitude: round(longitude + 0.02, 6) },
      'navigation.speedOverGround': 6.2,
      'navigation.courseOverGroundTrue': 3.9
    }, other('230011111'))
  }
  if (n % 10 === 0) {
    send('sim.ais', {
      'navigation.position': { latitude: 60.01, longitude: 24.03 },
      'navigation.speedOverGround': 0,
      'navigation.courseOverGroundTrue': null
    }, other('230022222'))
  }
  // On, off, and cleared with null.
  if (n % 20 === 0) {
    const phase = [
      { state: 'alarm', method: ['visual', 'sound'], message: 'Toggle on' },
      { state: 'normal', method: [], message: 'Toggle off' },
      null
    ][(n / 20) % 3]
    send('sim.plugin', { 'notifications.test.toggle': phase })
  }
}

let n = 0
once()
tick(n)
setInterval(() => tick(++n), 1000)
