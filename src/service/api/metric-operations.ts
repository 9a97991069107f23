/** `metrics.json` and the deletion of custom metrics (docs/api.md#metrics). */
import { z } from 'zod'
import { metricTypes, typesWithoutSource } from '../metrics/metric-key.ts'
import { type Duration, durations } from '../metrics/metrics-query.ts'
import { patternCharsMax } from '../metrics/server-pattern.ts'
import { messageAnswer, type Operation, operation } from './operation.ts'
import { names, oneOf, parameter, text } from './parameter.ts'

/** The API takes no more at once (docs/api.md#operations). */
const metricsPerDeleteMax = 20
const nameCharsMax = 300

const durationNames = Object.keys(durations).filter((name): name is Duration =>
  Object.hasOwn(durations, name),
)

/** An empty filter counts as none, because forms send blank fields. */
const filter = (description: string, charsMax = nameCharsMax) =>
  parameter(
    `text of at most ${charsMax} characters`,
    (value) => (value.length <= charsMax ? value : undefined),
    {
      description,
    },
  ).prefault('')

const point = z.tuple([z.number().nullable(), z.number().nullable(), z.number().nullable()])

const question = z
  .object({
    metric_name: text(nameCharsMax, { description: 'The non-humanized metric name', example: 'cpu_busy' }),
    metric_type: oneOf(metricTypes, 'What kind of metric it is'),
    metric_source_name: filter(
      'Plugin, process, volume, interface or custom metric name; cpu and memory do without one',
    ),
    server: filter(
      'A hostname, a wildcard (web-*), or a regular expression between slashes',
      patternCharsMax,
    ),
    environment: filter('Exact environment name'),
    role: filter('Exact role name'),
    duration: oneOf(durationNames, 'How far back from now').prefault('5 hours'),
    display: oneOf(
      ['range', 'breakout'],
      'Lowest, mean and highest value of each point, or one line per server',
    ).prefault('range'),
    alert: filter('The number of an alert of a Prometheus: only the series with all of its labels'),
  })
  .superRefine(({ metric_type: type, metric_source_name: source }, context) => {
    if (source !== '' || typesWithoutSource.has(type)) return
    context.addIssue({
      code: 'custom',
      path: ['metric_source_name'],
      message: `expected the ${sourceWords[type as keyof typeof sourceWords]} for metric_type ${type}; came nothing`,
    })
  })

const sourceWords = {
  disk: 'volume name',
  network: 'interface name',
  process: 'process name',
  plugin: 'plugin name',
  custom_metric: 'metric name',
} as const

export const metricOperations: readonly Operation[] = [
  operation({
    id: 'fetchMetrics',
    method: 'GET',
    path: '/metrics.json',
    summary: 'A metric over time, one block per server',
    input: question,
    answer: z.object({
      timestamps: z.array(z.int()),
      metrics: z.array(
        z.object({
          label: z.string(),
          units: z.string(),
          precision: z.int(),
          points: z.array(point).meta({
            description:
              'One [min, average, max] per timestamp; three nulls where this server has nothing for it',
          }),
        }),
      ),
    }),
    may404: true,
    async run({ world, input }) {
      const type = input.metric_type
      const source = typesWithoutSource.has(type) ? '' : input.metric_source_name
      const { timestamps, metrics } = await world.source.metrics({
        key: { type, source, metric: input.metric_name },
        server: input.server || null,
        environment: input.environment || null,
        role: input.role || null,
        duration: input.duration,
        display: input.display,
        alert: input.alert === '' ? null : Number(input.alert),
      })
      return {
        timestamps: [...timestamps],
        metrics: metrics.map((block) => ({
          ...block,
          points: block.points.map(([min, average, max]): [number | null, number | null, number | null] => [
            min,
            average,
            max,
          ]),
        })),
      }
    },
  }),
  operation({
    id: 'deleteCustomMetrics',
    method: 'DELETE',
    path: '/metrics',
    summary: 'Deletes custom metrics by name, at most 20',
    input: z.object({
      metrics: names(
        { namesMax: metricsPerDeleteMax, charsMax: nameCharsMax },
        'Custom metric names between commas',
      ),
    }),
    answer: messageAnswer,
    may404: true,
    async run({ world, input }) {
      await world.source.deleteCustomMetrics(input.metrics)
      return { message: `deleted ${input.metrics.join(', ')}` }
    },
  }),
]
