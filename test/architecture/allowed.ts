/** Who may do what: the exceptions of the architecture test, each with its reason. Paths are relative to `src/`. */

/** What a folder may import beside itself. The files that stand in `src/` itself are the layer `.`. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  flow: ['domain'],
  monitor: ['domain', 'flow'],
  slack: ['domain', 'flow'],
  store: ['domain', 'flow'],
  charts: ['domain', 'flow'],
  ops: ['domain', 'flow'],
  // The show around the bot: prints what the workspace shows, with the workspace's own emoji.
  demo: ['.', 'config', 'workspace'],
  // The check of a live set-up asks each neighbour as the bot does.
  doctor: ['.', 'config', 'domain', 'flow', 'monitor', 'slack', 'store', 'charts'],
  // Settings know the words of the domain; no flow knows them.
  config: ['domain', 'flow'],
  '.': ['config', 'domain', 'flow'],
  // Neighbours: they speak the real protocols and share nothing with the bot.
  service: [],
  workspace: [],
}

/** They wire the parts together, so they may import all of them. */
export const wiring = ['app.ts', 'wire.ts', 'main.ts', 'demo.ts', 'doctor.ts', 'backup.ts', 'cli.ts']

/** Layers with freer rules: only layers, cycles, names, length, and who reads the environment hold for them. */
export const neighbours = ['service/', 'workspace/']

/** A file or a folder (with a slash at the end) → the reason. */
export type Allowed = Readonly<Record<string, string>>

export const mayReadEnvironment: Allowed = {
  'main.ts': 'the entry of the bot',
  'backup.ts': 'the entry of the backup',
  'demo.ts': 'the entry of the demo',
  'doctor.ts': 'the entry of the check of a live set-up',
  'service/main.ts': 'the entry of the monitoring service',
  'workspace/main.ts': 'the entry of the local workspace',
}

export const mayTouchClock: Allowed = {
  'clock.ts': 'the real clock, which everything else is given',
  'main.ts': 'hands the real clock and real chance to everything else',
  'demo.ts': 'starts things, and may say when',
  'doctor.ts': 'starts things, and may say when',
  'doctor/': 'asks each neighbour once, and waits only so long',
}

export const mayCatch: Allowed = {
  'config/config.ts': 'a file that cannot be read is one more problem to be told with the others',
  'config/policy.ts': 'Intl says only by throwing that it knows no such time zone',
  'flow/outbox/look-up.ts': 'per card: one card that fails must not hold up the others',
  'flow/concurrency/contain.ts':
    'per job: what nobody foresaw ends one job on disk, is told with an id, and never the process',
  'flow/poll/history.ts': 'per listing: what is open is told even while what is over cannot be read',
  'flow/poll/roles.ts': 'per reading: an alert goes out without its roles sooner than late',
  'flow/attempt.ts': 'per request: around the one call to the API',
  'flow/handle.ts': 'per request: what nobody expected is told with an id, and the bot goes on',
  'demo/': 'the show around the bot: what fails is told in words, and the show goes on',
  'doctor/': 'a failure is what each check is there to tell',
  'main.ts': 'a ConfigError is told in words and ends the process',
  'log.ts': 'tells a pipe that nobody reads any more from one that is full',
  'cli.ts': 'a file .env that cannot be read is told in words and ends the process',
  'backup.ts': 'what an operator must mend is told in words and ends the process',
  'monitor/': 'an adapter translates, and throws again',
  'ops/': 'an adapter translates, and throws again',
  'slack/': 'an adapter translates, and throws again',
  'store/': 'an adapter rolls back, and throws again',
}
