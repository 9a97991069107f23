/** Rules of real teams for clusters and applications, and for targets that are away. */

/** What the alert of a rule says. */
export type LifeRule = readonly [
  name: string,
  expression: string,
  value: number,
  given?: {
    /** Its own name where it is left out. */
    readonly metric?: string
    readonly units?: string
    /** `max 80` */
    readonly limit?: string
    /** `web-1` where it is left out. */
    readonly server?: string
    /** It goes on changing, as a time does. */
    readonly isMoving?: boolean
  },
]

const app = 'app-1'

export const appRules: readonly LifeRule[] = [
  // Kubernetes and applications.
  [
    'PodRestarts',
    'increase(kube_pod_container_status_restarts_total[10s]) > 3',
    10,
    { limit: 'max 3', server: app },
  ],
  ['NodeNotReady', 'kube_node_status_condition{condition="Ready",status="true"} == 0', 0, { server: app }],
  [
    'Replicas',
    'kube_deployment_spec_replicas != kube_deployment_status_replicas_available',
    3,
    { server: app },
  ],
  [
    'VolumeFree',
    'kubelet_volume_stats_available_bytes / kubelet_volume_stats_capacity_bytes * 100 < 10',
    5,
    { units: '%', limit: 'low 10', server: app },
  ],
  ['VolumeFree', '', 2, { units: '%', limit: 'low 10', server: app }],
  [
    'Errors',
    'sum(rate(http_requests_total{code=~"5.."}[10s])) by (instance) / sum(rate(http_requests_total[10s])) by (instance) * 100 > 5',
    10,
    { units: '%', limit: 'max 5', server: app },
  ],
  [
    'Latency',
    'histogram_quantile(0.5, sum(rate(http_request_duration_seconds_bucket[10s])) by (instance, le)) > 1',
    2,
    { units: 's', limit: 'max 1', server: app },
  ],
  [
    'LatencyMean',
    'rate(http_request_duration_seconds_sum[10s]) / rate(http_request_duration_seconds_count[10s]) > 0.1',
    0.5,
    { units: 's', limit: 'max 0.1', server: app },
  ],
  ['ProbeFailed', 'probe_success == 0', 0, { server: app }],
  ['ProbeSlow', 'probe_duration_seconds > 1', 2.5, { units: 's', limit: 'max 1', server: app }],
  [
    'CertificateSoon',
    '(probe_ssl_earliest_cert_expiry - time()) / 86400 < 20',
    10,
    { units: 'd', limit: 'low 20', server: app },
  ],
  [
    'Connections',
    'mysql_threads_connected / mysql_max_connections * 100 > 80',
    95,
    { limit: 'max 80', server: app },
  ],
  [
    'RedisMemory',
    'redis_used_bytes / redis_max_bytes * 100 > 90 unless redis_max_bytes == 0',
    95,
    { units: '%', limit: 'max 90', server: app },
  ],
  ['Replication', 'pg_replication_lag_seconds > 30', 31, { units: 's', limit: 'max 30', server: app }],
  ['QueueFull', 'queue_length > queue_limit', 12, { server: app }],
  ['ErrorRatio', 'error_ratio > 1e-5', 0.00002, { limit: 'max 0.00001', server: app }],
  ['Reload', 'config_reload_successful != 1', 0, { server: app }],
  ['Even', 'cluster_members % 2 == 0', 0, { server: app }],
  ['CacheHits', 'cache_hit_percent < 50', 12, { units: '%', limit: 'low 50', server: app }],
  ['NobodyBuys', 'absent(shop_orders{job="shop"})', 1, { server: 'shop' }],
  ['Watchdog', 'vector(1)', 1, { server: 'global' }],
  // Silence: web-2 is away; of web-3 one port of two answers.
  ['Down', 'up{job="away"} == 0', Number.NaN, { metric: 'seconds_since_report', server: 'web-2' }],
  [
    'DownOtherwise',
    '(1 > up{job="away"}) unless on(job) (up == 1)',
    Number.NaN,
    { metric: 'seconds_since_report', server: 'web-2' },
  ],
  ['HalfDown', 'up{job="half"} == 0', 0, { server: 'web-3' }],
  ['DownForLong', 'max_over_time(up{job="away"}[10s]) == 0', 0, { server: 'web-2' }],
  ['AllDown', 'sum by (job) (up{job="away"}) == 0', 0, { server: 'away' }],
  [
    'SomeDown',
    '100 * (count by (job) (up == 0) / count by (job) (up)) > 10',
    100,
    { units: '%', limit: 'max 10', server: 'away' },
  ],
  ['CountDown', 'count(up == 0) > 1', 2, { limit: 'max 1', server: 'global' }],
  ['JobAbsent', 'absent(up{job="gone"})', 1, { server: 'gone' }],
  ['Up', 'up{job="away"} < 2', 0, { limit: 'low 2', server: 'web-2' }],
]
