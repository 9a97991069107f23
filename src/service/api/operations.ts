/** Every operation of the API as one table: what it is called, what it takes, what it does (docs/api.md#operations). */
import { z } from 'zod'
import {
  blocksMax,
  chosenServers,
  durationNames,
  keyFor,
  metricTypes,
  rounded,
  typesWithoutSource,
  windowOf,
} from '../metrics.ts'
import type { Server } from '../servers.ts'
import { type Point, quoted, Refusal } from '../source.ts'
import { labelsLeftOut, recordOf } from './alert-record.ts'
import { muteOperations } from './mute-operations.ts'
import { type Desk, noInput, type Operation, operation } from './operation.ts'
import { count, filter, names, oneOf, text, truth } from './parameters.ts'

const bySwitch = { untilMs: null, by: 'the API' }

const serverInput = z
  .object({
    notifications: truth('Switches the notifications of this server on or off').optional(),
    no_data_notification_group: text(200, 'The group that is told when the server sends no data').optional(),
  })
  .refine((input) => input.notifications !== undefined || input.no_data_notification_group !== undefined, {
    error: 'notifications: expected true or false; came nothing',
  })

const metricInput = z
  .object({
    metric_name: text(300, 'The non-humanized metric name'),
    metric_type: oneOf(metricTypes, 'What kind of metric it is'),
    metric_source_name: filter('Plugin, process, volume, interface or custom metric; not of cpu and memory'),
    server: filter('A hostname, a wildcard (web-*), or a regular expression between slashes'),
    environment: filter('Exact environment name'),
    role: filter('Exact role name'),
    duration: oneOf(durationNames, 'How far back from now').prefault('5 hours'),
    display: oneOf(['range', 'breakout'], 'Lowest, mean and highest, or the mean alone').prefault('range'),
    alert: filter('The number of an alert: its series alone').transform((value, context) => {
      if (value === '' || /^\d{1,16}$/.test(value)) return value
      context.addIssue({ code: 'custom', message: `expected the number of an alert; came ${quoted(value)}` })
      return z.NEVER
    }),
  })
  .superRefine(({ metric_type: type, metric_source_name: source }, context) => {
    if (source !== '' || typesWithoutSource.has(type) || type === 'custom_metric') return
    context.addIssue({
      code: 'custom',
      path: ['metric_source_name'],
      message: `expected a name for metric_type ${type}; came nothing`,
    })
  })

export const operations: readonly Operation[] = [
  operation({
    id: 'fetchAlerts',
    methods: ['GET'],
    path: '/alerts.json',
    summary: 'What is open, and what closed within 30 days, 50 at a time',
    input: z.object({
      lifecycle: oneOf(['start', 'end', 'all'], 'Only open alerts, only ends, or everything').prefault('all'),
      offset: count('How many to leave out; 50 gives the second page').prefault('0'),
    }),
    async run(desk, { lifecycle, offset }) {
      const { doubt } = await desk.loop.fresh()
      const listed = desk.ledger.list(lifecycle, offset)
      return {
        message: `${listed.length} alerts from offset ${offset}`,
        ...(doubt === null ? {} : { doubt }),
        results: listed.map((one) => recordOf(one, desk)),
      }
    },
  }),
  operation({
    id: 'fetchTriggers',
    methods: ['GET'],
    path: '/triggers.json',
    summary: 'All triggers',
    input: noInput,
    async run({ loop }) {
      const { triggers } = await loop.fresh()
      const results = triggers.map(({ id, condition, metric, maxValue, lowValue, durationMs }) => ({
        id,
        condition,
        metric,
        max_value: maxValue,
        low_value: lowValue,
        duration_in_seconds: Math.round(durationMs / 1000),
      }))
      return { message: `${results.length} triggers`, results }
    },
  }),
  operation({
    id: 'fetchRoles',
    methods: ['GET'],
    path: '/roles.json',
    summary: 'All roles, with their servers',
    input: noInput,
    async run({ loop, servers }) {
      await loop.fresh()
      const roles = servers.roles()
      // fromEntries defines own properties, so that a role called `__proto__` is one like any other.
      return { message: `${roles.size} roles`, result: Object.fromEntries(roles) }
    },
  }),
  operation({
    id: 'updateServer',
    methods: ['POST', 'PATCH'],
    path: '/servers/:host',
    summary: 'Switches notifications of a server, or sets its no-data notification group',
    input: serverInput,
    async run(desk, { notifications, no_data_notification_group: noDataGroup }, host) {
      await known(desk, host)
      const id = `server:${host}`
      if (notifications === true) {
        desk.servers.change(host, { notifications })
        await desk.mutes.end(id)
      } else if (notifications === false) {
        await desk.mutes.set({ ...bySwitch, id, kind: 'server', host, why: `${host} is muted` })
        desk.servers.change(host, { notifications })
      }
      if (noDataGroup !== undefined) desk.servers.change(host, { noDataGroup })
      const told = [
        ...(notifications === undefined ? [] : [`notifications are ${notifications ? 'on' : 'off'}`]),
        ...(noDataGroup === undefined ? [] : [`the no-data notification group is ${noDataGroup}`]),
      ]
      return { message: `${host}: ${told.join(', ')}` }
    },
  }),
  operation({
    id: 'deleteServer',
    methods: ['DELETE'],
    path: '/servers/:host',
    summary: 'Deletes a server; its open alerts close',
    input: noInput,
    async run(desk, _, host) {
      await known(desk, host)
      desk.servers.remove(host)
      // The loop goes on with what is not ended at once.
      await desk.mutes.end(`server:${host}`).catch(() => {})
      desk.source.deleteServer(host)
      for (const alert of desk.ledger.open())
        if (alert.host === host) desk.ledger.close(alert.id, desk.nowMs())
      return { message: `${host} was deleted` }
    },
  }),
  operation({
    id: 'addRoles',
    methods: ['POST'],
    path: '/servers/:host/roles/add',
    summary: 'Adds a server to roles; roles that do not exist are created',
    input: z.object({ roles: names(50, 100, 'Role names between commas') }),
    async run(desk, { roles }, host) {
      await known(desk, host)
      const words = { has: 'already has', joined: 'joined', created: 'joined the new role' }
      const done = roles.map((role) => `${words[desk.servers.addRole(host, role)]} ${role}`)
      return { message: `${host} ${done.join(', ')}` }
    },
  }),
  operation({
    id: 'updateAccount',
    methods: ['POST', 'PATCH'],
    path: '/account',
    summary: 'Switches the notifications of the whole account',
    input: z.object({ notifications: truth('Switches all notifications of the account on or off') }),
    async run(desk, { notifications }) {
      const mute = { ...bySwitch, id: 'account', kind: 'account' as const, why: 'the whole account is muted' }
      if (notifications) desk.servers.setAccount(true)
      await (notifications ? desk.mutes.end(mute.id) : desk.mutes.set(mute))
      desk.servers.setAccount(notifications)
      return { message: `notifications of the account are ${notifications ? 'on' : 'off'}` }
    },
  }),
  operation({
    id: 'addMarker',
    methods: ['POST'],
    path: '/markers',
    summary: 'Adds a marker, which is shown on charts',
    input: z.object({ notes: text(2000, 'Text shown with the marker') }),
    run({ servers, nowMs }, { notes }) {
      servers.addMarker(notes, nowMs())
      return { message: 'the marker was added' }
    },
  }),
  operation({
    id: 'fetchMetrics',
    methods: ['GET'],
    path: '/metrics.json',
    summary: 'A metric over time',
    input: metricInput,
    run: (desk, input) => metrics(desk, input),
  }),
  operation({
    id: 'deleteMetrics',
    methods: ['DELETE'],
    path: '/metrics',
    summary: 'Deletes custom metrics by name, at most 20',
    input: z.object({ metrics: names(20, 300, 'Names of custom metrics between commas') }),
    run({ source }, { metrics: wanted }) {
      const gone = source.deleteMetrics(wanted)
      if (gone.length === 0)
        throw new Refusal(404, `metrics: no custom metric is called ${wanted.map(quoted).join(' or ')}`)
      const rest = wanted.filter((name) => !gone.includes(name))
      const unknown = rest.length === 0 ? '' : `; there was no ${rest.join(', ')}`
      return { message: `${gone.join(', ')} deleted${unknown}` }
    },
  }),
  operation({
    id: 'fetchTargets',
    methods: ['GET'],
    path: '/targets.json',
    summary: 'What is watched, and what is wrong with it',
    input: noInput,
    run({ servers, loop, source, ledger }) {
      const told = ({ host, kind, environment }: Server) => ({ server: host, kind, environment })
      const results = servers.all().map(told)
      return {
        message: `${results.length} servers`,
        source: { ...source.state(), problem: loop.refusal()?.message ?? null },
        labels_left_out: ledger.open().reduce((sum, { labels = {} }) => sum + labelsLeftOut(labels), 0),
        results,
      }
    },
  }),
  ...muteOperations,
]

/** Only a source that could be read may say that there is no such server. */
async function known({ servers, loop }: Desk, host: string): Promise<void> {
  if (servers.get(host) === undefined) await loop.fresh()
  servers.known(host)
}

async function metrics(desk: Desk, input: z.output<typeof metricInput>): Promise<object> {
  await desk.loop.fresh()
  const type = input.metric_type
  const named = input.metric_source_name || (type === 'custom_metric' ? input.metric_name : '')
  const key = keyFor(type, typesWithoutSource.has(type) ? '' : named, input.metric_name)
  const alert = input.alert === '' ? null : (desk.ledger.get(Number(input.alert)) ?? null)
  if (input.alert !== '' && alert === null)
    throw new Refusal(404, `alert: no alert has the number ${input.alert}`)
  const window = windowOf(input.duration, desk.nowMs())
  const hosts = chosenServers(desk.servers, input).map(({ host }) => host)
  const course = await desk.source.series(key, hosts, window, alert)
  if (course === null) {
    const source = key.source === '' ? '' : ` with metric_source_name ${quoted(key.source)}`
    throw new Refusal(404, `metric_name: no metric ${quoted(key.metric)} of type ${type}${source} is known`)
  }
  if (course.blocks.length > blocksMax)
    throw new Refusal(
      422,
      `server: expected a filter that at most ${blocksMax} servers pass; came one that ${course.blocks.length} pass`,
    )
  // Where no server has a value there is no point, and one that lacks a value there repeats none: each has its own times in common.
  const at = Array.from({ length: window.count }, (_, n) => n).filter((n) =>
    course.blocks.some(({ points }) => points[n] != null),
  )
  return {
    timestamps: at.map((n) => window.fromMs + n * window.stepMs),
    metrics: course.blocks.map(({ label, points }) => ({
      label,
      units: course.units,
      precision: course.precision,
      points: filled(at.map((n) => points[n] ?? null)).map(([min, mean, max]) =>
        input.display === 'range' ? [min, mean, max].map(rounded) : [mean, mean, mean].map(rounded),
      ),
    })),
  }
}

/** A server without a value at a time at which another has one keeps its last one (at first its next one): a point is three numbers. */
function filled(points: readonly (Point | null)[]): readonly Point[] {
  let last = points.find((point) => point !== null) ?? ([0, 0, 0] as const)
  return points.map((point) => {
    last = point ?? last
    return last
  })
}
