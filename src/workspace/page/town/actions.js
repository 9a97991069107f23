/**
 * What the demo controls can make happen, in the words of the buttons, and how to see that it runs. It lasts long enough to be
 * read and acted on; only the load on this machine is real, and short.
 *
 * @import { Happening } from './shapes.js'
 * @typedef {{ path: string, method?: 'POST' | 'DELETE', body?: object }} Step POST where it does not say.
 * @typedef {object} Action
 * @property {string} id
 * @property {string} label
 * @property {string} says what it will do, in one sentence
 * @property {'servers' | 'neighbours'} group
 * @property {Step} step paths under `/town/` need the monitoring service
 * @property {boolean} [isSimulated] it needs simulated servers, which are not there in front of a Prometheus
 * @property {(now: Happening) => number | boolean | null} runsUntilMs when it ends; true: it runs; false or null: it does not
 */

/** @type {(scenario: string, body: { server?: string, count?: number }) => Pick<Action, 'group' | 'step' | 'isSimulated' | 'runsUntilMs'>} */
const scenario = (name, body) => ({
  group: 'servers',
  isSimulated: true,
  step: { path: `/town/scenarios/${name}`, body: { seconds: troubleSeconds, ...body } },
  runsUntilMs({ town }) {
    const own = (town?.running.scenarios ?? []).filter(
      (run) => run.scenario === name && (body.server === undefined || run.server === body.server),
    )
    return own.length > 0 && Math.max(...own.map(({ ends_at_ms: endsAtMs }) => endsAtMs))
  },
})

/** How long what is simulated goes wrong, and how long a neighbour does. */
const troubleSeconds = 240
const faultSeconds = 180

/** Never used up before its time. */
const answersMax = 10_000

/** @type {(fault: { status?: number, body?: string, delayMs?: number }) => Pick<Action, 'group' | 'step' | 'runsUntilMs'>} */
const serviceFault = (fault) => ({
  group: 'neighbours',
  step: { path: '/town/faults', body: { times: answersMax, seconds: faultSeconds, ...fault } },
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
    says: 'At 97 % for 4 min; one alert.',
    ...scenario('cpu-spike', { server: 'web-2' }),
  },
  {
    id: 'disk-fills',
    label: 'Disk fills on db-1',
    says: 'Slowly up to 97 %, emptied after 4 min; one alert.',
    ...scenario('disk-fills', { server: 'db-1' }),
  },
  {
    id: 'flapping',
    label: 'An alert flaps',
    says: 'Load of web-1, up and down four times in 4 min.',
    ...scenario('flapping', { server: 'web-1', count: 4 }),
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
    says: 'cache-1, for 4 min; an alert after 30 s.',
    ...scenario('no-data', { server: 'cache-1' }),
  },
  {
    id: 'storm',
    label: '200 servers at once',
    says: 'A storm: 200 alerts over the whole fleet, for 4 min.',
    ...scenario('storm', { count: 200 }),
  },
  {
    id: 'service-down',
    label: 'Service down',
    says: 'For 3 min, every answer of its API is a 503 and a page of HTML.',
    ...serviceFault({ status: 503, body: 'html' }),
  },
  {
    id: 'service-hangs',
    label: 'Service hangs',
    says: 'For 3 min, every answer of its API takes 15 s.',
    ...serviceFault({ delayMs: 15_000 }),
  },
  {
    id: 'rate-limit',
    label: 'Slack rate limit',
    says: 'For 3 min, every new message is refused with 429 “wait 10 s”.',
    group: 'neighbours',
    step: {
      path: '/control/fault',
      body: {
        method: 'chat.postMessage',
        times: null,
        seconds: faultSeconds,
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
