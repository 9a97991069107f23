/**
 * What can be made to happen in the town, in the words of the buttons, and how to see that it runs.
 *
 * @typedef {{ runs: import('./read-town.js').Run[], busyUntilMs: number | null,
 *   faults: import('./read-town.js').ServiceFault[], rateLimit: number | boolean }} Happening
 * @typedef {{ method: 'POST' | 'DELETE', path: string, body?: object }} Step
 * @typedef {object} Action
 * @property {string} id
 * @property {string} label
 * @property {string} says what it will do, in one sentence
 * @property {'servers' | 'neighbours'} group
 * @property {Step[]} steps
 * @property {boolean} needsService
 * @property {(now: Happening) => number | boolean} runsUntilMs when it ends; true: it runs; false: it does not
 */

/** @param {string} scenario @param {string} [server] @returns {Action['runsUntilMs']} */
const scenarioRuns = (scenario, server) => (now) => {
  const own = now.runs.filter(
    (run) => run.scenario === scenario && (server === undefined || run.server === server),
  )
  return own.length > 0 && Math.max(...own.map(({ endsAtMs }) => endsAtMs))
}

/** @param {'down' | 'late'} kind @returns {Action['runsUntilMs']} */
const faultRuns = (kind) => (now) => {
  const fault = now.faults.findLast((one) => one.kind === kind)
  return fault === undefined ? false : (fault.endsAtMs ?? true)
}

/** @param {string} scenario @param {object} body @returns {Step[]} */
const start = (scenario, body) => [{ method: 'POST', path: `/town/scenarios/${scenario}`, body }]

/** Never used up before its time. */
const answersMax = 10_000

/** @type {readonly Action[]} */
export const actions = [
  {
    id: 'busy',
    label: 'Make this machine busy for 30 s',
    says: 'Every core at 100 %, for real; one alert.',
    group: 'servers',
    needsService: true,
    steps: [{ method: 'POST', path: '/town/busy', body: { seconds: 30 } }],
    runsUntilMs: (now) => now.busyUntilMs ?? false,
  },
  {
    id: 'cpu-spike',
    label: 'CPU spike on web-2',
    says: 'At 97 % for a minute; one alert.',
    group: 'servers',
    needsService: true,
    steps: start('cpu-spike', { server: 'web-2', seconds: 60 }),
    runsUntilMs: scenarioRuns('cpu-spike', 'web-2'),
  },
  {
    id: 'disk-fills',
    label: 'Disk fills on db-1',
    says: 'Up to 97 % in 90 s, emptied a minute later; one alert.',
    group: 'servers',
    needsService: true,
    steps: start('disk-fills', { server: 'db-1', seconds: 150 }),
    runsUntilMs: scenarioRuns('disk-fills', 'db-1'),
  },
  {
    id: 'flapping',
    label: 'An alert flaps',
    says: 'Load of web-1, up and down four times in 160 s.',
    group: 'servers',
    needsService: true,
    steps: start('flapping', { server: 'web-1', seconds: 160, count: 4 }),
    runsUntilMs: scenarioRuns('flapping', 'web-1'),
  },
  {
    id: 'plugin-oneoff',
    label: 'One-off of a plugin',
    says: 'An event on worker-1 that is over at once.',
    group: 'servers',
    needsService: true,
    steps: start('plugin-oneoff', { server: 'worker-1', count: 1 }),
    runsUntilMs: () => false,
  },
  {
    id: 'no-data',
    label: 'A server sends no data',
    says: 'cache-1, for 90 s; an alert after 30 s.',
    group: 'servers',
    needsService: true,
    steps: start('no-data', { server: 'cache-1', seconds: 90 }),
    runsUntilMs: scenarioRuns('no-data', 'cache-1'),
  },
  {
    id: 'storm',
    label: '200 servers at once',
    says: 'A storm: 200 alerts over the whole fleet, for two minutes.',
    group: 'servers',
    needsService: true,
    steps: start('storm', { count: 200, seconds: 120 }),
    runsUntilMs: scenarioRuns('storm'),
  },
  {
    id: 'service-down',
    label: 'Service down for 30 s',
    says: 'Every answer of its API is a 503 and a page of HTML.',
    group: 'neighbours',
    needsService: true,
    steps: [
      {
        method: 'POST',
        path: '/town/faults',
        body: { times: answersMax, seconds: 30, status: 503, body: 'html' },
      },
    ],
    runsUntilMs: faultRuns('down'),
  },
  {
    id: 'service-hangs',
    label: 'Service hangs for 30 s',
    says: 'Every answer of its API takes 15 s.',
    group: 'neighbours',
    needsService: true,
    steps: [
      { method: 'POST', path: '/town/faults', body: { times: answersMax, seconds: 30, delayMs: 15_000 } },
    ],
    runsUntilMs: faultRuns('late'),
  },
  {
    id: 'rate-limit',
    label: 'Slack rate limit for 30 s',
    says: 'Every new message is refused with 429 “wait 10 s”.',
    group: 'neighbours',
    needsService: false,
    steps: [
      {
        method: 'POST',
        path: '/control/fault',
        body: {
          method: 'chat.postMessage',
          times: null,
          seconds: 30,
          effect: { kind: 'ratelimited', retryAfterSeconds: 10 },
        },
      },
    ],
    runsUntilMs: (now) => now.rateLimit,
  },
]

/** Ends what was ordered to go wrong at Slack and, where there is one, at the monitoring service. */
export const clearAll = /** @type {const} */ ({
  slack: { method: 'POST', path: '/control/clearFaults', body: {} },
  service: { method: 'DELETE', path: '/town/faults' },
})
