/** A Kubernetes cluster as Prometheus scrapes it: exporters with their series, and the labels that its configuration gives them. */
import { hostText } from './life-hosts.ts'

/** A target of a cluster; `name` is the name of its job in the configuration, which is unique. */
export type ClusterTarget = {
  readonly name: string
  readonly instance: string
  /** As relabeling leaves them; `job` is among them. */
  readonly labels: Readonly<Record<string, string>>
  readonly honorLabels?: boolean
  /** What it shows at this time; null: nobody answers. */
  readonly text: ((nowMs: number) => string) | null
}

type Shown = readonly (readonly [series: string, value: number])[]

const textOf = (shown: Shown): string => shown.map(([series, value]) => `${series} ${value}`).join('\n')
const still = (shown: Shown) => () => textOf(shown)
/** Of counters: by how much each grows in a second. */
const growing = (shown: Shown) => (nowMs: number) =>
  textOf(shown.map(([series, rate]) => [series, (nowMs / 1_000 - 1_790_000_000) * rate]))
const both =
  (...all: readonly ((nowMs: number) => string)[]) =>
  (nowMs: number) =>
    all.map((one) => one(nowMs)).join('\n')

const web = 'namespace="shop",pod="web-7d4b9c6f5d-x2x4z"'
const backup = 'namespace="batch",pod="backup-28912340-k9k9k"'
const quota = 'namespace="shop",resourcequota="all",resource="pods"'
const statefulset = '{namespace="shop",statefulset="db"}'
const daemonset = '{namespace="logging",daemonset="logs"}'
const deployment = '{namespace="shop",deployment="web"}'
const hpa = '{namespace="shop",horizontalpodautoscaler="web-hpa"}'
const waiting = 'reason="CrashLoopBackOff"'

/** A pod and what `kube_pod_owner` says of it. */
const owned = (pod: string, kind: string, name: string): readonly [string, number] => [
  `kube_pod_owner{${pod},owner_kind="${kind}",owner_name="${name}",owner_is_controller="true"}`,
  1,
]

function ofState(startSeconds: number): Shown {
  return [
    [`kube_pod_container_status_waiting_reason{${web},uid="u1",container="web",${waiting}}`, 1],
    [`kube_pod_container_status_waiting_reason{${web},uid="u1",container="sidecar",${waiting}}`, 1],
    [`kube_pod_container_status_waiting_reason{${backup},uid="u2",container="backup",${waiting}}`, 1],
    owned(web, 'ReplicaSet', 'web-7d4b9c6f5d'),
    owned(backup, 'Job', 'backup-28912340'),
    owned('namespace="shop",pod="db-0"', 'StatefulSet', 'db'),
    owned('namespace="mq",pod="rabbit-0"', 'StatefulSet', 'rabbit'),
    owned('namespace="monitoring",pod="alertmanager-main-0"', 'StatefulSet', 'alertmanager-main'),
    owned('namespace="monitoring",pod="prometheus-k8s-0"', 'StatefulSet', 'prometheus-k8s'),
    owned(
      'namespace="argocd",pod="argocd-application-controller-0"',
      'StatefulSet',
      'argocd-application-controller',
    ),
    owned('namespace="kube-system",pod="etcd-node-1"', 'Node', 'node-1'),
    ['kube_pod_owner{namespace="shop",pod="debug",owner_kind="",owner_name="",owner_is_controller=""}', 1],
    [
      'kube_replicaset_owner{namespace="shop",replicaset="web-7d4b9c6f5d",owner_kind="Deployment",owner_name="web",owner_is_controller="true"}',
      1,
    ],
    [
      'kube_job_owner{namespace="batch",job_name="backup-28912340",owner_kind="CronJob",owner_name="backup",owner_is_controller="true"}',
      1,
    ],
    ['kube_pod_status_phase{namespace="shop",pod="db-0",uid="u3",phase="Pending"}', 1],
    ['kube_pod_status_phase{namespace="shop",pod="debug",uid="u4",phase="Failed"}', 1],
    [`kube_deployment_spec_replicas${deployment}`, 3],
    [`kube_deployment_status_replicas_available${deployment}`, 1],
    [`kube_deployment_status_replicas_updated${deployment}`, 3],
    [`kube_deployment_metadata_generation${deployment}`, 5],
    [`kube_deployment_status_observed_generation${deployment}`, 4],
    [`kube_statefulset_replicas${statefulset}`, 3],
    [`kube_statefulset_status_replicas_ready${statefulset}`, 2],
    [`kube_statefulset_status_replicas_updated${statefulset}`, 2],
    [`kube_daemonset_status_desired_number_scheduled${daemonset}`, 5],
    [`kube_daemonset_status_current_number_scheduled${daemonset}`, 4],
    [`kube_daemonset_status_updated_number_scheduled${daemonset}`, 4],
    [`kube_daemonset_status_number_available${daemonset}`, 4],
    [`kube_daemonset_status_number_misscheduled${daemonset}`, 1],
    ['kube_job_status_start_time{namespace="batch",job_name="import"}', startSeconds - 50_000],
    ['kube_job_status_active{namespace="batch",job_name="import"}', 1],
    ['kube_job_failed{namespace="batch",job_name="backup-28912340",condition="true"}', 1],
    ['kube_cronjob_spec_suspend{namespace="batch",cronjob="report"}', 1],
    [`kube_horizontalpodautoscaler_status_current_replicas${hpa}`, 10],
    [`kube_horizontalpodautoscaler_spec_max_replicas${hpa}`, 10],
    [`kube_horizontalpodautoscaler_spec_min_replicas${hpa}`, 2],
    [`kube_resourcequota{${quota},type="used"}`, 95],
    [`kube_resourcequota{${quota},type="hard"}`, 100],
    ['kube_persistentvolume_status_phase{persistentvolume="pv-7",phase="Failed"}', 1],
    ['kube_poddisruptionbudget_status_desired_healthy{namespace="shop",poddisruptionbudget="web-pdb"}', 2],
    ['kube_poddisruptionbudget_status_current_healthy{namespace="shop",poddisruptionbudget="web-pdb"}', 1],
    ['kube_node_status_condition{node="node-3",condition="Ready",status="true"}', 0],
    ['kube_node_status_condition{node="node-1",condition="Ready",status="true"}', 1],
    ['kube_node_spec_unschedulable{node="node-3"}', 0],
    ['kube_node_spec_unschedulable{node="node-1"}', 0],
    [
      'kube_node_spec_taint{node="node-3",key="node.kubernetes.io/unreachable",value="",effect="NoSchedule"}',
      1,
    ],
    ['kube_node_status_capacity{node="node-1",resource="pods",unit="integer"}', 110],
    ['kube_node_status_allocatable{node="node-1",resource="cpu",unit="core"}', 4],
    ['kube_node_status_allocatable{node="node-3",resource="cpu",unit="core"}', 4],
    ['kube_node_role{node="node-1",role="control-plane"}', 1],
    [`kube_pod_container_resource_requests{${web},container="web",resource="cpu",unit="core"}`, 11],
    ['kube_namespace_labels{namespace="quiet"}', 1],
  ]
}

const volume = (name: string, available: number): Shown => [
  [`kubelet_volume_stats_available_bytes{namespace="shop",persistentvolumeclaim="${name}"}`, available],
  [`kubelet_volume_stats_capacity_bytes{namespace="shop",persistentvolumeclaim="${name}"}`, 1e11],
  [`kubelet_volume_stats_used_bytes{namespace="shop",persistentvolumeclaim="${name}"}`, 1e11 - available],
]

/** All observations lie between the two. */
const histogram = (name: string, least: number, most: number): Shown => [
  [`${name}_bucket{le="${least}"}`, 0],
  [`${name}_bucket{le="${most}"}`, 100],
  [`${name}_bucket{le="+Inf"}`, 100],
  [`${name}_count`, 100],
]

const container = `${web},container="web",id="/kubepods/web",image="shop/web:1",name="c0ffee"`
const master = 'kube-system'
const inMonitoring = (job: string, pod: string, name: string, service = name) => ({
  job,
  pod,
  service,
  namespace: 'monitoring',
  container: name,
  endpoint: 'http',
})
const kubelet = (path: string, node: string) => ({
  job: 'kubelet',
  namespace: master,
  service: 'kubelet',
  endpoint: 'https-metrics',
  metrics_path: path,
  node,
})

/** kube-state-metrics, which a restart gives another address and another name. */
export function stateMetrics(pod: string, instance: string, startSeconds: number): ClusterTarget {
  return {
    name: 'kube-state-metrics',
    instance,
    honorLabels: true,
    labels: inMonitoring('kube-state-metrics', pod, 'kube-state-metrics'),
    text: both(
      still(ofState(startSeconds)),
      growing([
        ['kube_state_metrics_list_total{result="error",resource="*v1.Pod"}', 1],
        ['kube_state_metrics_list_total{result="success",resource="*v1.Pod"}', 4],
      ]),
    ),
  }
}

/** Only some of a host's series: rules of other towns need not fire for each node. */
const nodeText = (nowMs: number): string =>
  hostText(nowMs)
    .split('\n')
    .filter((line) => /^node_(?:filesystem|timex|cpu|load1 |memory_Mem[AT]|systemd)/.test(line))
    .join('\n')

export function clusterTargets(startMs: number): readonly ClusterTarget[] {
  const start = Math.floor(startMs / 1_000)
  return [
    stateMetrics('ksm-6d5f-abcde', '10.244.1.5:8080', start),
    {
      name: 'kubelet-node-1',
      instance: '10.0.0.11:10250',
      honorLabels: true,
      labels: kubelet('/metrics', 'node-1'),
      text: both(
        still([
          ...volume('data-db-0', 1e9),
          ...volume('data-db-1', 2e9),
          ['kubelet_running_pods', 108],
          ['kubelet_node_name{node="node-1"}', 1],
          ['kubelet_certificate_manager_client_ttl_seconds', 500_000],
        ]),
        growing([
          ['kubelet_evictions{eviction_signal="memory.available"}', 0.5],
          ...histogram('kubelet_pleg_relist_duration_seconds', 10, 11),
        ]),
      ),
    },
    {
      name: 'cadvisor-node-1',
      instance: '10.0.0.11:10250',
      honorLabels: true,
      labels: kubelet('/metrics/cadvisor', 'node-1'),
      text: both(
        still([
          [`container_memory_working_set_bytes{${container}}`, 9e8],
          [`container_spec_memory_limit_bytes{${container}}`, 1e9],
          [`container_spec_cpu_quota{${container}}`, 100_000],
          [`container_spec_cpu_period{${container}}`, 100_000],
        ]),
        growing([
          [`container_cpu_usage_seconds_total{${container}}`, 0.95],
          [`container_cpu_cfs_throttled_periods_total{${container}}`, 4],
          [`container_cpu_cfs_periods_total{${container}}`, 10],
        ]),
      ),
    },
    {
      name: 'kubelet-node-3',
      instance: '10.0.0.13:10250',
      honorLabels: true,
      labels: kubelet('/metrics', 'node-3'),
      text: null,
    },
    // As kube-prometheus names it, and as the chart of many does.
    {
      name: 'node-exporter-1',
      instance: 'node-1',
      labels: inMonitoring('node-exporter', 'node-exporter-aaaaa', 'node-exporter'),
      text: nodeText,
    },
    {
      name: 'node-exporter-2',
      instance: '10.0.0.12:9100',
      labels: inMonitoring('node-exporter', 'node-exporter-bbbbb', 'node-exporter'),
      text: nodeText,
    },
    {
      name: 'blackbox',
      instance: 'https://shop.example/health',
      labels: { job: 'blackbox-http', namespace: 'monitoring' },
      text: still([
        ['probe_success', 0],
        ['probe_http_status_code', 503],
        ['probe_ssl_earliest_cert_expiry', start + 864_000],
      ]),
    },
    {
      name: 'postgres',
      instance: '10.244.2.7:9187',
      labels: { job: 'postgres-exporter', namespace: 'db', pod: 'pg-exporter-x1', endpoint: 'metrics' },
      text: still([
        ['pg_stat_activity_count{datname="shop",server="pg-1:5432",state="active"}', 95],
        ['pg_settings_max_connections{server="pg-1:5432"}', 100],
        ['pg_postmaster_start_time_seconds{server="pg-1:5432"}', start - 1_500],
      ]),
    },
    {
      name: 'redis',
      instance: 'redis-1:6379',
      labels: { job: 'redis-exporter' },
      text: still([
        ['redis_memory_used_bytes', 95],
        ['redis_memory_max_bytes', 100],
        ['redis_instance_info{role="slave"}', 1],
        ['redis_rdb_last_save_timestamp_seconds', start - 180_000],
      ]),
    },
    {
      name: 'mysql',
      instance: 'mysql-1:3306',
      labels: { job: 'mysqld-exporter' },
      text: still([
        ['mysql_global_status_threads_connected', 95],
        ['mysql_global_variables_max_connections', 100],
        ['mysql_slave_status_seconds_behind_master{master_host="mysql-0"}', 60],
        ['mysql_slave_status_sql_delay{master_host="mysql-0"}', 0],
        ['mysql_slave_status_master_server_id{master_host="mysql-0"}', 7],
      ]),
    },
    {
      name: 'etcd',
      instance: '10.0.0.1:2381',
      labels: { job: 'kube-etcd', namespace: master, pod: 'etcd-node-1', endpoint: 'http-metrics' },
      text: both(
        still([
          ['etcd_server_has_leader', 0],
          ['etcd_server_id{server_id="1"}', 1],
          ['etcd_server_id{server_id="2"}', 1],
        ]),
        growing([
          ...histogram('etcd_disk_wal_fsync_duration_seconds', 0.5, 1),
          ...histogram('etcd_network_peer_round_trip_time_seconds', 0.1, 0.2),
        ]),
      ),
    },
    {
      name: 'apiserver',
      instance: '10.0.0.1:6443',
      labels: { job: 'apiserver', namespace: 'default', service: 'kubernetes', endpoint: 'https' },
      text: growing([
        ['apiserver_request_total{code="200",verb="GET"}', 90],
        ['apiserver_request_total{code="500",verb="GET"}', 10],
        ...histogram('apiserver_client_certificate_expiration_seconds', 0, 100_000),
      ]),
    },
    {
      name: 'cert-manager',
      instance: '10.244.3.2:9402',
      labels: { job: 'cert-manager', namespace: 'cert-manager', pod: 'cert-manager-5f-x1', endpoint: 'http' },
      text: still([
        [
          'certmanager_certificate_expiration_timestamp_seconds{name="shop-tls",namespace="shop"}',
          start + 864_000,
        ],
        ['certmanager_certificate_ready_status{name="shop-tls",namespace="shop",condition="False"}', 1],
      ]),
    },
    {
      name: 'argocd',
      instance: '10.244.3.3:8082',
      labels: { job: 'argocd-metrics', namespace: 'argocd', pod: 'argocd-application-controller-0' },
      text: still([['argocd_app_info{name="shop-app",sync_status="OutOfSync",health_status="Healthy"}', 1]]),
    },
    {
      name: 'rabbitmq',
      instance: '10.244.3.4:15692',
      labels: { job: 'rabbitmq', namespace: 'mq', pod: 'rabbit-0' },
      text: both(
        still([['rabbitmq_queue_messages_ready{queue="orders",vhost="/"}', 2_000]]),
        growing([['rabbitmq_channel_messages_unroutable_returned_total', 1]]),
      ),
    },
    {
      name: 'kafka',
      instance: '10.244.3.5:9308',
      labels: { job: 'kafka-exporter', namespace: 'kafka', pod: 'kafka-exporter-x1' },
      text: still([
        ['kafka_consumergroup_lag{consumergroup="billing",topic="orders",partition="0"}', 12_000],
        ['kafka_consumergroup_lag{consumergroup="billing",topic="orders",partition="1"}', 8_000],
      ]),
    },
    {
      name: 'elasticsearch',
      instance: 'es-1:9114',
      labels: { job: 'elasticsearch-exporter' },
      text: still([
        ['elasticsearch_jvm_memory_used_bytes{area="heap",name="es-node-1",cluster_name="logs"}', 95],
        ['elasticsearch_jvm_memory_max_bytes{area="heap",name="es-node-1",cluster_name="logs"}', 100],
        ['elasticsearch_cluster_health_status{color="red",cluster_name="logs"}', 1],
      ]),
    },
    {
      name: 'alertmanager',
      instance: '10.244.1.8:9093',
      labels: inMonitoring('alertmanager-main', 'alertmanager-main-0', 'alertmanager', 'alertmanager-main'),
      text: still([['alertmanager_cluster_members', 1]]),
    },
    {
      name: 'alertmanager-other',
      instance: '10.244.1.9:9093',
      labels: inMonitoring('alertmanager-main', 'alertmanager-main-1', 'alertmanager', 'alertmanager-main'),
      text: still([['alertmanager_cluster_members', 2]]),
    },
    {
      name: 'prometheus',
      instance: '10.244.1.7:9090',
      labels: inMonitoring('prometheus-k8s', 'prometheus-k8s-0', 'prometheus', 'prometheus-k8s'),
      text: growing([
        ['prometheus_notifications_errors_total{alertmanager="http://a/api/v2/alerts"}', 1],
        ['prometheus_notifications_sent_total{alertmanager="http://a/api/v2/alerts"}', 20],
      ]),
    },
  ]
}

/** What a Prometheus that has scraped them for some minutes knows, as OpenMetrics with times. */
export function pastOf(targets: readonly ClusterTarget[], untilMs: number): string {
  const lines: string[] = []
  for (let atMs = untilMs - 15 * 60_000; atMs < untilMs; atMs += 15_000) {
    for (const target of targets) lines.push(...linesAt(target, atMs))
  }
  return `${lines.join('\n')}\n# EOF\n`
}

function linesAt({ instance, labels, honorLabels, text }: ClusterTarget, atMs: number): string[] {
  if (text === null) return []
  const given = { instance, ...labels }
  return text(atMs)
    .split('\n')
    .map((line) => {
      const [, name = '', braces = '', value = ''] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      const own = [...braces.matchAll(/(\w+)="(.*?)"/g)].map(
        ([, label = '', its = '']) => [label, its] as const,
      )
      const all: Record<string, string> = { ...given }
      for (const [label, its] of own) {
        const isTaken = honorLabels !== true && label in given
        if (its !== '' || isTaken) all[isTaken ? `exported_${label}` : label] = its
      }
      const written = Object.entries(all).map(([label, its]) => `${label}="${its}"`)
      return `${name}{${written.join(',')}} ${value} ${(atMs / 1_000).toFixed(3)}`
    })
}
