/** Rules as teams really have them, most of them from awesome-prometheus-alerts, the node mixin and the Kubernetes mixin. */
import type { EngineRule } from '../../../src/service/prometheus/engine.ts'
import { hostRules, type RuleRow } from './host-rules.ts'

/** The expression is `before`, `drawn` and `after` one after the other. */
export type KnownRule = {
  readonly name: string
  readonly before: string
  readonly drawn: string
  readonly after: string
  /** `max 90`, `low 0.15`, or nothing. */
  readonly limit: string
  /** Of what is drawn; nothing where none is proven. */
  readonly units: string
  /** `type source metric` of the metric that it is proven to be; nothing where that is the alert's own name. */
  readonly metric: string
}

const rows: readonly RuleRow[] = [
  ...hostRules,
  [
    'ContainerMemory',
    'sum(container_memory_working_set_bytes{name!=""}) by (instance, name) / sum(container_spec_memory_limit_bytes > 0) by (instance, name) * 100',
    ' > 80',
    'max 80',
    '%',
  ],
  [
    'ContainerShareOfHost',
    'container_memory_rss / on(instance) group_left node_memory_MemTotal_bytes',
    ' > 0.5',
    'max 0.5',
  ],
  [
    'KubePodCrashLooping',
    'max_over_time(kube_pod_container_status_waiting_reason{reason="CrashLoopBackOff"}[5m])',
    ' >= 1',
    'max 1',
  ],
  [
    'KubePodNotReady',
    'sum by (namespace, pod) (max by(namespace, pod) (kube_pod_status_phase{phase=~"Pending|Unknown"}) * on(namespace, pod) group_left(owner_kind) topk by(namespace, pod) (1, max by(namespace, pod, owner_kind) (kube_pod_owner{owner_kind!="Job"})))',
    ' > 0',
    'max 0',
  ],
  [
    'KubeDeploymentReplicasMismatch',
    'kube_deployment_spec_replicas',
    ' > kube_deployment_status_replicas_available and changes(kube_deployment_status_replicas_updated[10m]) == 0',
    '',
  ],
  [
    'KubePersistentVolumeFillingUp',
    'kubelet_volume_stats_available_bytes / kubelet_volume_stats_capacity_bytes',
    ' < 0.03 and kubelet_volume_stats_used_bytes > 0 unless on(namespace, persistentvolumeclaim) kube_persistentvolumeclaim_access_mode{access_mode="ReadOnlyMany"} == 1',
    'low 0.03',
  ],
  [
    'KubeQuotaAlmostFull',
    'kube_resourcequota{type="used"} / ignoring(instance, job, type) (kube_resourcequota{type="hard"} > 0)',
    ' > 0.9 < 1',
    '',
  ],
  [
    'KubeCpuOvercommit',
    'sum(namespace_cpu:kube_pod_container_resource_requests:sum) - (sum(kube_node_status_allocatable{resource="cpu"}) - max(kube_node_status_allocatable{resource="cpu"}))',
    ' > 0',
    'max 0',
  ],
  [
    'KubeAPIErrorBudgetBurn',
    'sum(apiserver_request:burnrate1h)',
    ' > (14.40 * 0.01000)\nand\nsum(apiserver_request:burnrate5m) > (14.40 * 0.01000)',
    'max 0.144',
  ],
  [
    'KubeClientCertificateExpiration',
    'apiserver_client_certificate_expiration_seconds_count{job="apiserver"}',
    ' > 0 and on(job) histogram_quantile(0.01, sum by (job, le) (rate(apiserver_client_certificate_expiration_seconds_bucket{job="apiserver"}[5m]))) < 604800',
    'max 0',
  ],
  [
    'CPUThrottlingHigh',
    'sum(increase(container_cpu_cfs_throttled_periods_total{container!="", }[5m])) by (container, pod) / sum(increase(container_cpu_cfs_periods_total{}[5m])) by (container, pod)',
    ' > ( 25 / 100 )',
    'max 0.25',
  ],
  ['PrometheusTargetMissing', 'count by (job) (up)', ' == 0', ''],
  [
    'PrometheusNotIngesting',
    'sum without(type) (rate(prometheus_tsdb_head_samples_appended_total{job="prometheus"}[5m]))',
    ' <= 0',
    'low 0',
  ],
  [
    'PrometheusNotificationQueue',
    'predict_linear(prometheus_notifications_queue_length[5m], 60 * 30)',
    ' > min_over_time(prometheus_notifications_queue_capacity[5m])',
    '',
  ],
  ['PrometheusTsdbCompactions', 'increase(prometheus_tsdb_compactions_failed_total[1m])', ' > 0', 'max 0'],
  ['AlertmanagerNotifications', 'rate(alertmanager_notifications_failed_total[1m])', ' > 0', 'max 0'],
  ['BlackboxProbeFailed', 'probe_success', ' == 0', ''],
  [
    'BlackboxSslCertificateWillExpireSoon',
    '(last_over_time(probe_ssl_earliest_cert_expiry[10m]) - time()) / 86400',
    ' < 20',
    'low 20',
    'd',
  ],
  ['BlackboxSlowProbe', 'avg_over_time(probe_duration_seconds[1m])', ' > 1', 'max 1', 's'],
  [
    'MysqlTooManyConnections',
    'max_over_time(mysql_global_status_threads_connected[1m]) / mysql_global_variables_max_connections * 100',
    ' > 80',
    'max 80',
  ],
  ['MysqlSlowQueries', 'increase(mysql_global_status_slow_queries[1m])', ' > 0', 'max 0'],
  [
    'PostgresqlTooManyConnections',
    'sum by (instance) (pg_stat_activity_count)',
    ' > min by (instance) (pg_settings_max_connections * 0.8)',
    '',
  ],
  [
    'PostgresqlReplicationLag',
    'pg_replication_lag_seconds',
    ' > 5 unless pg_replication_is_replica == 0',
    'max 5',
    's',
  ],
  ['RedisMissingMaster', 'count(redis_instance_info{role="master"})', ' < 1', 'low 1'],
  [
    'RedisOutOfConfiguredMaxmemory',
    'redis_memory_used_bytes / redis_memory_max_bytes * 100',
    ' > 90 and redis_memory_max_bytes > 0',
    'max 90',
    '%',
  ],
  [
    'RabbitmqUnroutable',
    'rate(rabbitmq_channel_messages_unroutable_dropped_total[1m]) > 0 or increase(rabbitmq_queue_messages_unacked[1m]) > 1000',
    '',
    '',
  ],
  [
    'NginxHighHttp5xxErrorRate',
    'sum(rate(nginx_http_requests_total{status=~"^5.."}[1m])) / sum(rate(nginx_http_requests_total[1m])) * 100',
    ' > 5',
    'max 5',
    '%',
  ],
  [
    'NginxLatencyHigh',
    'histogram_quantile(0.99, sum(rate(nginx_http_request_duration_seconds_bucket[2m])) by (host, node, le))',
    ' > 3',
    'max 3',
    's',
  ],
  ['KafkaConsumersGroup', 'sum(kafka_consumergroup_lag) by (consumergroup)', ' > 50', 'max 50'],
  ['EtcdInsufficientMembers', 'count(etcd_server_id) % 2', ' == 0', ''],
  ['VaultSealed', 'vault_core_unsealed == bool 0', '', ''],
  [
    'SmartTemperature',
    'max by (device) (avg_over_time(smartctl_device_temperature{temperature_type="current"}[5m:30s])) >= bool 60',
    '',
    '',
  ],
  [
    'ShopSilent',
    'sum(rate(http_requests_total{job="shop"}[5m] offset -1m))',
    ' < 0.5 # nobody buys',
    'low 0.5',
  ],
  ['DeadMansJob', 'time() - push_time_seconds{job=~"backup|dump"}', ' > 1.5 * 24 * 3600', 'max 129600', 's'],
]

/** Those whose comparison is elsewhere than after what is drawn. */
const others: readonly KnownRule[] = [
  {
    name: 'HostOutOfMemoryHere',
    before: '(',
    drawn: 'node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes * 100',
    after: ' < 10) * on(instance) group_left (nodename) node_uname_info{nodename=~".+"}',
    limit: 'low 10',
    units: '%',
    metric: '',
  },
  {
    name: 'NoneOfThem',
    before: '(',
    drawn: 'count(shop_up == 1) or vector(0)',
    after: ') < 1',
    limit: 'low 1',
    units: '',
    metric: '',
  },
  {
    name: 'NumberFirst',
    before: '90 < ',
    drawn: 'node_load1',
    after: '',
    limit: 'max 90',
    units: '',
    metric: 'plugin Load Average last_minute',
  },
  {
    name: 'NumberFirstLow',
    before: '(0.9 * 100) >= ',
    drawn: 'shop_stock',
    after: '',
    limit: 'low 90',
    units: '',
    metric: '',
  },
  {
    name: 'InParentheses',
    before: '((',
    drawn: 'shop_orders',
    after: ') > -(5)) and on() shop_open == 1',
    limit: 'max -5',
    units: '',
    metric: '',
  },
  {
    name: 'Between',
    before: '(',
    drawn: 'shop_orders',
    after: ' > 0) < 10',
    limit: 'low 10',
    units: '',
    metric: '',
  },
  {
    name: 'ScalarFirst',
    before: 'scalar(shop_limit) < on() ',
    drawn: 'shop_orders',
    after: '',
    limit: '',
    units: '',
    metric: '',
  },
]

export const knownRules: readonly KnownRule[] = [
  ...rows.map(([name, drawn, after, limit, units = '', metric = '']) => ({
    name,
    before: '',
    drawn,
    after,
    limit,
    units,
    metric,
  })),
  ...others,
]

export const expressionOf = ({ before, drawn, after }: KnownRule): string => before + drawn + after

export function engineRule(name: string, query: string, given: Partial<EngineRule> = {}): EngineRule {
  return {
    name,
    query,
    duration: 300,
    labels: {},
    annotations: {},
    alerts: [],
    health: 'ok',
    lastEvaluation: '',
    ...given,
  }
}
