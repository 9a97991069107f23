/**
 * What can be made to happen in the town, in the words of the buttons, and how to see that it runs.
 *
 * @import { Happening } from './shapes.js'
 * @typedef {{ path: string, method?: 'POST' | 'DELETE', body?: object }} Step POST where it does not say.
 * @typedef {object} Action
 * @property {string} id
 * @property {string} label
 * @property {string} says what it will do, in one sentence
 * @property {'servers' | 'neighbours'} group
 * @property {Step} step paths under `/town/` need the monitoring service
 * @property {(now: Happening) => number | boolean | null} runsUntilMs when it ends; true: it runs; false or null: it does not
 */

/** @type {(scenario: string, body: { server?: string, seconds?: number, count?: number }) => Pick<Action, 'group' | 'step' | 'runsUntilMs'>} */
const scenario = (name, body) => ({
  group: 'servers',
  step: { path: `/town/scenarios/${name}`, body },
  runsUntilMs({ town }) {
    const own = (town?.running.scenarios ?? []).filter(
      (run) => run.scenario === name && (body.server === undefined || run.server === body.server),
    )
    return own.length > 0 && Math.max(...own.map(({ ends_at_ms: endsAtMs }) => endsAtMs))
  },
})

/** Never used up before its time. */
const answersMax = 10_000

/** @type {(fault: { status?: number, body?: string, delayMs?: number }) => Pick<Action, 'group' | 'step' | 'runsUntilMs'>} */
const serviceFault = (fault) => ({
  group: 'neighbours',
  step: { path: '/town/faults', body: { times: answersMax, seconds: 30, ...fault } },
  runsUntilMs({ serviceFaults }) {
    const own = serviceFaults.findLast(({ status }) => status === fault.status)
    return own !== undefined && (own.ends_at_ms ?? true)
  },
})

/** @type {readonly Action[]} */
export const actions = [
  {
    id: 'busy',
    label: 'Make this machine busy for 30 s',
    says: 'Every core at 100 %, for real; one alert.',
    group: 'servers',
    step: { path: '/town/busy', body: { seconds: 30 } },
    runsUntilMs: ({ town }) => town?.running.busy_until_ms ?? false,
  },
  {
    id: 'cpu-spike',
    label: 'CPU spike on web-2',
    says: 'At 97 % for a minute; one alert.',
    ...scenario('cpu-spike', { server: 'web-2', seconds: 60 }),
  },
  {
    id: 'disk-fills',
    label: 'Disk fills on db-1',
    says: 'Up to 97 % in 90 s, emptied a minute later; one alert.',
    ...scenario('disk-fills', { server: 'db-1', seconds: 150 }),
  },
  {
    id: 'flapping',
    label: 'An alert flaps',
    says: 'Load of web-1, up and down four times in 160 s.',
    ...scenario('flapping', { server: 'web-1', seconds: 160, count: 4 }),
  },
  {
    id: 'plugin-oneoff',
    label: 'One-off of a plugin',
    says: 'An event on worker-1 that is over at once.',
    ...scenario('plugin-oneoff', { server: 'worker-1', count: 1 }),
  },
  {
    id: 'no-data',
    label: 'A server sends no data',
    says: 'cache-1, for 90 s; an alert after 30 s.',
    ...scenario('no-data', { server: 'cache-1', seconds: 90 }),
  },
  {
    id: 'storm',
    label: '200 servers at once',
    says: 'A storm: 200 alerts over the whole fleet, for two minutes.',
    ...scenario('storm', { count: 200, seconds: 120 }),
  },
  {
    id: 'service-down',
    label: 'Service down for 30 s',
    says: 'Every answer of its API is a 503 and a page of HTML.',
    ...serviceFault({ status: 503, body: 'html' }),
  },
  {
    id: 'service-hangs',
    label: 'Service hangs for 30 s',
    says: 'Every answer of its API takes 15 s.',
    ...serviceFault({ delayMs: 15_000 }),
  },
  {
    id: 'rate-limit',
    label: 'Slack rate limit for 30 s',
    says: 'Every new message is refused with 429 “wait 10 s”.',
    group: 'neighbours',
    step: {
      path: '/control/fault',
      body: {
        method: 'chat.postMessage',
        times: null,
        seconds: 30,
        effect: { kind: 'ratelimited', retryAfterSeconds: 10 },
      },
    },
    runsUntilMs({ slackFaults }) {
      const own = slackFaults.findLast(({ effect }) => effect.kind === 'ratelimited')
      return own !== undefined && (own.endsAtMs ?? true)
    },
  },
]

/** @type {(step: Step) => boolean} */
export const needsService = ({ path }) => path.startsWith('/town/')

/** Ends what was made to go wrong at Slack and, where there is one, at the monitoring service.  @type {Step[]} */
export const clearing = [
  { path: '/control/clearFaults', body: {} },
  { method: 'DELETE', path: '/town/faults' },
]
