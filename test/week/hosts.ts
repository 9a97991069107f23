/** The servers of the week by their role, and the channels that hear of them. */
import type { Route } from '../../src/bot/domain/alert/match.ts'

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n + 1}`)

/** `lab` is a farm of test servers where something is always wrong: people keep it muted. */
export const hosts = {
  web: numbered('web', 40),
  db: numbered('db', 20),
  job: numbered('job', 40),
  lab: numbered('lab', 24),
} as const satisfies Record<string, readonly string[]>

export const defaultChannel = 'C0WEB'

export const routes: readonly Route[] = [
  { match: { server: 'db-*' }, channel: 'C0DB', mention: '<!subteam^S0DBA>' },
  { match: { server: 'job-*' }, channel: 'C0JOBS', mention: null },
]

export const channels = [defaultChannel, ...routes.map(({ channel }) => channel)]
