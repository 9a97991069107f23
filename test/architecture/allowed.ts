/** Who may do what: the exceptions of the architecture test, each with its reason. Paths are relative to `src/`. */

/**
 * What a room may import beside itself. The rooms are the programs, and the folders of the bot; the files that stand in `bot/`
 * itself are the room `bot`. Everything may import `shared`, and `shared` nothing.
 */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  'bot/domain': [],
  'bot/flow': ['bot/domain'],
  'bot/monitor': ['bot/domain', 'bot/flow'],
  'bot/slack': ['bot/domain', 'bot/flow'],
  'bot/store': ['bot/domain', 'bot/flow'],
  'bot/charts': ['bot/domain', 'bot/flow'],
  'bot/oncall': ['bot/domain', 'bot/flow'],
  'bot/ops': ['bot/domain', 'bot/flow'],
  'bot/pager': ['bot/domain', 'bot/flow'],
  // The doctor calls each system as the bot does.
  'bot/doctor': [
    'bot',
    'bot/config',
    'bot/domain',
    'bot/flow',
    'bot/monitor',
    'bot/slack',
    'bot/store',
    'bot/charts',
    'bot/pager',
    'bot/oncall',
  ],
  // Settings know the words of the domain; no flow knows them.
  'bot/config': ['bot/domain', 'bot/flow'],
  bot: ['bot/config', 'bot/domain', 'bot/flow'],
  // Neighbours: they speak the real protocols and share nothing with the bot but what no program is made of.
  service: [],
  workspace: [],
  shared: [],
  // The show around all three: prints what the workspace shows, with the workspace's own emoji.
  demo: ['bot', 'bot/config', 'workspace'],
  '.': [],
}

/** They wire the parts together, so they may import all of them. */
export const wiring = [
  'bot/app.ts',
  'bot/memory.ts',
  'bot/replica.ts',
  'bot/standby.ts',
  'bot/wire.ts',
  'bot/main.ts',
  'demo/main.ts',
  'bot/doctor/main.ts',
  'bot/backup.ts',
  'bot/move.ts',
  'bot/restore.ts',
  'cli.ts',
  'validate.ts',
]

/** Rooms with freer rules: only imports, cycles, names, length, and who reads the environment hold for them. */
export const neighbours = ['service/', 'workspace/']

/** A file or a folder (with a slash at the end) → the reason. */
export type Allowed = Readonly<Record<string, string>>

export const mayReadEnvironment: Allowed = {
  'bot/main.ts': 'the entry of the bot',
  'bot/backup.ts': 'the entry of the backup',
  'bot/restore.ts': 'the entry of the restore',
  'validate.ts': 'the entry of the check of files',
  'demo/main.ts': 'the entry of the demo',
  'bot/doctor/main.ts': 'the entry of the check of a live set-up',
  'service/main.ts': 'the entry of the monitoring service',
  'workspace/main.ts': 'the entry of the local workspace',
}

export const mayTouchClock: Allowed = {
  'shared/clock.ts': 'the real clock, which everything else is given',
  'shared/end-with-npm.ts': 'looks at a process, which no test can hold still',
  'bot/main.ts': 'hands the real clock and real chance to everything else',
  'demo/main.ts': 'starts things, and may say when',
  'bot/doctor/main.ts': 'starts things, and may say when',
  'bot/doctor/': 'asks each neighbour once, and waits only so long',
}

export const mayCatch: Allowed = {
  'bot/config/config.ts': 'a file that cannot be read is one more problem to be told with the others',
  'shared/secret-files.ts': 'a file that cannot be read is one more problem to be told with the others',
  'bot/config/reread.ts': 'a file that cannot be read is told, and nothing changes',
  'bot/config/way-out.ts': 'a file that cannot be read is one more problem to be told with the others',
  'bot/config/policy.ts': 'Intl says only by throwing that it knows no such time zone',
  'bot/config/shapes.ts': 'decodeURIComponent says only by throwing that a text is no UTF-8',
  'bot/flow/outbox/look-up.ts': 'per card: one card that fails must not hold up the others',
  'bot/flow/outbox/results.ts':
    'per result: it is written once the memory is back, or noted for who leads now',
  'bot/flow/concurrency/or-note.ts': 'per call: whoever is deposed leaves word of it, and throws again',
  'bot/flow/concurrency/contain.ts':
    'per job: what nobody foresaw ends one job on disk, is told with an id, and never the process',
  'bot/flow/concurrency/store-access.ts':
    'per call: one that the memory did not answer is made again, or told to whoever waits',
  'bot/flow/poll/roles.ts': 'per reading: an alert goes out without its roles sooner than late',
  'bot/flow/attempt.ts': 'per request: around the one call to the API',
  'bot/flow/handle.ts': 'per request: what nobody expected is told with an id, and the bot goes on',
  'demo/': 'the show around the bot: what fails is told in words, and the show goes on',
  'bot/doctor/': 'a failure is what each check is there to tell',
  'bot/main.ts': 'a ConfigError is told in words and ends the process',
  'bot/log.ts': 'tells a pipe that nobody reads any more from one that is full',
  'shared/read-body.ts': 'a request that is cut off is one of its answers',
  'validate.ts': 'a file that cannot be read is a problem to be told',
  'cli.ts': 'a file .env that cannot be read is told in words and ends the process',
  'bot/backup.ts': 'what an operator must mend is told in words and ends the process',
  'bot/restore.ts': 'what an operator must mend is told in words and ends the process',
  'shared/replace-database.ts': 'a database that is damaged is set aside as it is',
  'shared/dated-backups.ts': 'an old copy that cannot be removed is said after the new one',
  'bot/move.ts': 'what an operator must mend is told in words and ends the process',
  'bot/monitor/': 'an adapter translates, and throws again',
  'bot/oncall/': 'an adapter translates; and of a calendar one bad event ends that event alone',
  'bot/ops/': 'an adapter translates, and throws again',
  'bot/pager/': 'an adapter translates, and throws again',
  'bot/slack/': 'an adapter translates, and throws again',
  'bot/store/': 'an adapter rolls back, and throws again',
}
