/**
 * Rules of the kubernetes, node, Prometheus and Alertmanager mixins, of awesome-prometheus-alerts and of exporters, as people run them
 * on Kubernetes; all of them fire where `cluster-hosts.ts` is scraped. What their alerts say is written as a reader of the rule
 * understands it.
 */

import type { LifeRule } from './life-rules.ts'

/** Its server is that without the cluster. */
export type ClusterRule = LifeRule & {
  /** The part of the expression that its picture shows. */
  readonly drawn: string
}

/**
 * A block a rule: `NAME SEVERITY`, its expression with what is drawn in « », its summary with labels as `{pod}`, and what its alert says:
 * `= VALUE, units, limit, metric …, moving @ SERVER {labels} title`. Without a summary the title is the rule's condition.
 */
const table = `
KubePodCrashLooping warning
«max_over_time(kube_pod_container_status_waiting_reason{reason="CrashLoopBackOff", job="kube-state-metrics"}[5m])» >= 1
| Container {container} of {namespace}/{pod} restarts again and again
= 1, high 1 @ shop/web {container=web} Container web of shop/web-7d4b9c6f5d-x2x4z restarts again and again

KubePodCrashLoopingOfJob warning
«max_over_time(kube_pod_container_status_waiting_reason{reason="CrashLoopBackOff", namespace="batch"}[5m])» >= 1
| {pod}
= 1, high 1 @ batch/backup {} backup-28912340-k9k9k

KubePodNotReady warning
«sum by (namespace, pod, job, cluster) ( max by(namespace, pod, job, cluster) ( kube_pod_status_phase{job="kube-state-metrics", phase=~"Pending|Unknown"} or ( kube_pod_status_phase{job="kube-state-metrics", phase="Running"} == 1 and on(namespace, pod, cluster) kube_pod_status_ready{job="kube-state-metrics", condition="true"} == 0 ) ) * on(namespace, pod, cluster) group_left() topk by(namespace, pod, cluster) ( 1, max by(namespace, pod, owner_kind, cluster) (kube_pod_owner{owner_kind!="Job"}) ) )» > 0 unless on(namespace, pod, cluster) kube_pod_status_reason{job="kube-state-metrics", reason="SchedulingGated"} == 1
| Pod {pod} has not been ready
= 1, high 0 @ shop/db {pod=db-0} Pod db-0 has not been ready

KubePodBare warning
«sum by (namespace, pod) (kube_pod_status_phase{phase=~"Pending|Unknown|Failed"})» > 0
| Pod {namespace}/{pod} is not healthy
= 1, high 0 @ shop/debug {pod=debug} Pod shop/debug is not healthy

KubeDeploymentGenerationMismatch warning
«kube_deployment_status_observed_generation{job="kube-state-metrics"}» != kube_deployment_metadata_generation{job="kube-state-metrics"}
= 4 @ shop/web {} kube_deployment_status_observed_generation{job="kube-state-metrics"} != kube_deployment_metadata_generation{job="kube-state-metrics"}

KubeDeploymentReplicasMismatch warning
( «kube_deployment_spec_replicas{job="kube-state-metrics"}» > kube_deployment_status_replicas_available{job="kube-state-metrics"} ) and ( changes(kube_deployment_status_replicas_updated{job="kube-state-metrics"}[10m]) == 0 )
| {deployment} has not its replicas
= 3 @ shop/web {} web has not its replicas

KubeStatefulSetReplicasMismatch warning
( «kube_statefulset_status_replicas_ready{job="kube-state-metrics"}» != kube_statefulset_replicas{job="kube-state-metrics"} ) and ( changes(kube_statefulset_status_replicas_updated{job="kube-state-metrics"}[10m]) == 0 )
| {statefulset} has not its replicas
= 2 @ shop/db {} db has not its replicas

KubernetesStatefulsetDown critical
«kube_statefulset_replicas» != kube_statefulset_status_replicas_ready > 0
| {statefulset} is down
= 3 @ shop/db {} db is down

KubeDaemonSetRolloutStuck warning
( «( kube_daemonset_status_current_number_scheduled{job="kube-state-metrics"} != kube_daemonset_status_desired_number_scheduled{job="kube-state-metrics"} ) or ( kube_daemonset_status_number_misscheduled{job="kube-state-metrics"} != 0 ) or ( kube_daemonset_status_number_available{job="kube-state-metrics"} != kube_daemonset_status_desired_number_scheduled{job="kube-state-metrics"} )» ) and ( changes(kube_daemonset_status_updated_number_scheduled{job="kube-state-metrics"}[5m]) == 0 )
| {daemonset} is stuck
= 4 @ logging/logs {} logs is stuck

KubeDaemonSetNotScheduled warning
«kube_daemonset_status_desired_number_scheduled{job="kube-state-metrics"} - kube_daemonset_status_current_number_scheduled{job="kube-state-metrics"}» > 0
| {daemonset} is not everywhere
= 1, high 0 @ logging/logs {} logs is not everywhere

KubeJobNotCompleted warning
«time() - max by(namespace, job_name, cluster) (kube_job_status_start_time{job="kube-state-metrics"} and kube_job_status_active{job="kube-state-metrics"} > 0)» > 43200
| Job {namespace}/{job_name} is slow
= 50000, s, high 43200, moving @ batch/import {} Job batch/import is slow

KubeJobFailed warning
«kube_job_failed{job="kube-state-metrics"}» > 0
| Job {job_name} failed
= 1, high 0 @ batch/backup {} Job backup-28912340 failed

KubeHpaMaxedOut warning
( «kube_horizontalpodautoscaler_status_current_replicas{job="kube-state-metrics"}» == kube_horizontalpodautoscaler_spec_max_replicas{job="kube-state-metrics"} ) and on(namespace, horizontalpodautoscaler, cluster) ( kube_horizontalpodautoscaler_spec_max_replicas{job="kube-state-metrics"} != kube_horizontalpodautoscaler_spec_min_replicas{job="kube-state-metrics"} )
| {horizontalpodautoscaler} is at its most
= 10 @ shop/web-hpa {} web-hpa is at its most

KubeQuotaAlmostFull info
«topk by (cluster, namespace, resource, resourcequota) (1, max without (instance, job, type) ( kube_resourcequota{job="kube-state-metrics", type="used"} ) ) / on (cluster, namespace, resource, resourcequota) group_left() topk by (cluster, namespace, resource, resourcequota) (1, max without (instance, job, type) ( kube_resourcequota{job="kube-state-metrics", type="hard"} ) > 0 )» > 0.9 < 1
| Namespace {namespace} has little {resource} left
= 0.95 @ shop {} Namespace shop has little pods left

KubePersistentVolumeErrors critical
«kube_persistentvolume_status_phase{phase=~"Failed|Pending",job="kube-state-metrics"}» > 0
| Volume {persistentvolume} is {phase}
= 1, high 0 @ kube-state-metrics {} Volume pv-7 is Failed

KubePdbNotEnoughHealthyPods warning
( «kube_poddisruptionbudget_status_desired_healthy{job="kube-state-metrics"} - kube_poddisruptionbudget_status_current_healthy{job="kube-state-metrics"}» ) > 0
| {poddisruptionbudget} has too few
= 1, high 0 @ shop {} web-pdb has too few

KubernetesCronjobSuspended warning
«kube_cronjob_spec_suspend» != 0
| {namespace}/{cronjob} is suspended
= 1 @ batch {} batch/report is suspended

KubeNodeNotReady warning
«kube_node_status_condition{job="kube-state-metrics",condition="Ready",status="true"}» == 0 and on (cluster, node) kube_node_spec_unschedulable{job="kube-state-metrics"} == 0
| {node} is not ready
= 0 @ node-3 {} node-3 is not ready

KubeNodeUnreachable warning
(«kube_node_spec_taint{job="kube-state-metrics",key="node.kubernetes.io/unreachable",effect="NoSchedule"} unless ignoring(key,value) kube_node_spec_taint{job="kube-state-metrics",key=~"ToBeDeletedByClusterAutoscaler|cloud.google.com/impending-node-termination|aws-node-termination-handler/spot-itn"}») == 1
| {node} cannot be reached
= 1 @ node-3 {} node-3 cannot be reached

KubeletTooManyPods info
«( max by (cluster, instance) ( kubelet_running_pods{job="kubelet", metrics_path="/metrics"} > 1 ) * on (cluster, instance) group_left(node) max by (cluster, instance, node) ( kubelet_node_name{job="kubelet", metrics_path="/metrics"} ) ) / on (cluster, node) group_left() max by (cluster, node) ( kube_node_status_capacity{job="kube-state-metrics", resource="pods"} != 1 )» > 0.95
| {node} is full
= 0.98, high 0.95 @ node-1 {} node-1 is full

KubeNodeEviction info
«sum(rate(kubelet_evictions{job="kubelet", metrics_path="/metrics"}[15m])) by(cluster, eviction_signal, instance) * on (cluster, instance) group_left(node) max by (cluster, instance, node) ( kubelet_node_name{job="kubelet", metrics_path="/metrics"} )» > 0
| {node} evicts by {eviction_signal}
= 0.5, high 0 @ node-1 {} node-1 evicts by memory.available

KubeletPlegDurationHigh warning
«node_quantile:kubelet_pleg_relist_duration_seconds:histogram_quantile{quantile="0.99"}» >= 10
| {node} is slow
= 11, high 10 @ node-1 {} node-1 is slow

KubeletClientCertificateExpiration warning
«kubelet_certificate_manager_client_ttl_seconds» < 604800
| The certificate of {node} ends soon
= 500000, s, low 604800 @ node-1 {} The certificate of node-1 ends soon

KubeletInstanceUnreachable warning
«up{job="kubelet", metrics_path="/metrics"}» == 0
| The kubelet of {instance} is away
= any, metric seconds_since_report @ node-3 {} The kubelet of 10.0.0.13:10250 is away

KubePersistentVolumeFillingUp critical
( «kubelet_volume_stats_available_bytes{job="kubelet", metrics_path="/metrics"} / kubelet_volume_stats_capacity_bytes{job="kubelet", metrics_path="/metrics"}» ) < 0.03 and kubelet_volume_stats_used_bytes{job="kubelet", metrics_path="/metrics"} > 0 unless on(cluster, namespace, persistentvolumeclaim) kube_persistentvolumeclaim_access_mode{ access_mode="ReadOnlyMany"} == 1 unless on(cluster, namespace, persistentvolumeclaim) kube_persistentvolumeclaim_labels{label_excluded_from_alerts="true"} == 1
| {persistentvolumeclaim} is full
= 0.01, low 0.03 @ shop/data-db-0 {} data-db-0 is full
= 0.02, low 0.03 @ shop/data-db-1 {} data-db-1 is full

KubePersistentVolumeFillingUp warning
( «kubelet_volume_stats_available_bytes{job="kubelet", metrics_path="/metrics"} / kubelet_volume_stats_capacity_bytes{job="kubelet", metrics_path="/metrics"}» ) < 0.15 and kubelet_volume_stats_used_bytes{job="kubelet", metrics_path="/metrics"} > 0
| {persistentvolumeclaim} is filling up
= 0.01, low 0.15 @ shop/data-db-0 {} data-db-0 is filling up

KubernetesVolumeFullInFourDays critical
«predict_linear(kubelet_volume_stats_available_bytes[6h:5m], 4 * 24 * 3600)» < 1e10
| {persistentvolumeclaim} will be full
= 1e9, bytes, low 10000000000 @ shop/data-db-0 {} data-db-0 will be full

CPUThrottlingHigh info
«sum without (id, metrics_path, name, image, endpoint, job, node) ( topk by (cluster, namespace, pod, container, instance) (1, increase( container_cpu_cfs_throttled_periods_total{container!="", job="kubelet", metrics_path="/metrics/cadvisor", } [5m]) ) ) / on (cluster, namespace, pod, container, instance) group_left sum without (id, metrics_path, name, image, endpoint, job, node) ( topk by (cluster, namespace, pod, container, instance) (1, increase( container_cpu_cfs_periods_total{job="kubelet", metrics_path="/metrics/cadvisor", } [5m]) ) )» > ( 25 / 100 )
| {container} is throttled
= 0.4, high 0.25 @ shop/web {} web is throttled

ContainerHighMemoryUsage warning
(«sum(container_memory_working_set_bytes{name!=""}) BY (instance, name) / sum(container_spec_memory_limit_bytes > 0) BY (instance, name) * 100») > 80
| {name} is full
= 90, %, high 80 @ 10.0.0.11 {} c0ffee is full

ContainerHighCpuUtilization warning
(«sum(rate(container_cpu_usage_seconds_total{container!=""}[5m])) by (pod, container) / sum(container_spec_cpu_quota{container!=""}/container_spec_cpu_period{container!=""}) by (pod, container) * 100») > 80 and sum(container_spec_cpu_quota{container!=""}/container_spec_cpu_period{container!=""}) by (pod, container) > 0
| {pod} works hard
= 95, high 80 @ global {} web-7d4b9c6f5d-x2x4z works hard

KubeAPIErrorBudgetBurn critical
«sum by(cluster) (apiserver_request:burnrate1h)» > (14.40 * 0.01000) and on(cluster) sum by(cluster) (apiserver_request:burnrate5m) > (14.40 * 0.01000)
| The API server burns its budget
= 0.2, high 0.144 @ global {} The API server burns its budget

KubeClientCertificateExpiration warning
«histogram_quantile(0.01, sum without (namespace, service, endpoint) (rate(apiserver_client_certificate_expiration_seconds_bucket{job="apiserver"}[5m])))» < 604800 and on(job, cluster, instance) apiserver_client_certificate_expiration_seconds_count{job="apiserver"} > 0
| A client's certificate ends soon
= 1000, s, low 604800 @ 10.0.0.1 {} A client's certificate ends soon

KubernetesApiServerErrors critical
«sum(rate(apiserver_request_total{job="apiserver",code=~"(?:5..)"}[1m])) by (instance, job) / sum(rate(apiserver_request_total{job="apiserver"}[1m])) by (instance, job) * 100» > 3 and sum(rate(apiserver_request_total{job="apiserver"}[1m])) by (instance, job) > 0
| {instance} answers with errors
= 10, %, high 3 @ 10.0.0.1 {} 10.0.0.1:6443 answers with errors

KubeSchedulerDown critical
absent(up{job="kube-scheduler"})
| The scheduler is gone
= 1 @ kube-scheduler {} The scheduler is gone

KubeCPUOvercommit warning
# Clusters without and with several masters.
«( ( sum by(cluster) (namespace_cpu:kube_pod_container_resource_requests:sum{}) - sum by(cluster) (kube_node_status_allocatable{job="kube-state-metrics",resource="cpu"}) > 0 ) and count by (cluster) (max by (cluster, node) (kube_node_role{job="kube-state-metrics", role="control-plane"})) < 3 ) or ( sum by(cluster) (namespace_cpu:kube_pod_container_resource_requests:sum{}) - ( ( sum by (cluster) (kube_node_status_allocatable{job="kube-state-metrics",resource="cpu"}) - max by (cluster) (kube_node_status_allocatable{job="kube-state-metrics",resource="cpu"}) ) > 0 ) > 0 )»
| Pods ask for more than there is
= 3, high 0 @ global {} Pods ask for more than there is

KubeStateMetricsListErrors critical
(«sum(rate(kube_state_metrics_list_total{job="kube-state-metrics",result="error"}[5m])) by (cluster) / sum(rate(kube_state_metrics_list_total{job="kube-state-metrics"}[5m])) by (cluster)») > 0.01
| kube-state-metrics has errors
= 0.2, high 0.01 @ global {} kube-state-metrics has errors

NodeFilesystemAlmostOutOfSpace critical
( «node_filesystem_avail_bytes{job="node-exporter",fstype!="",mountpoint!=""} / node_filesystem_size_bytes{job="node-exporter",fstype!="",mountpoint!=""} * 100» < 5 and node_filesystem_readonly{job="node-exporter",fstype!="",mountpoint!=""} == 0 )
| {mountpoint} of {instance} has little space
= 4, %, low 5 @ node-1 {} / of node-1 has little space

NodeClockSkewDetected warning
( «node_timex_offset_seconds{job="node-exporter"}» > 0.05 and deriv(node_timex_offset_seconds{job="node-exporter"}[5m]) >= 0 ) or ( node_timex_offset_seconds{job="node-exporter"} < -0.05 and deriv(node_timex_offset_seconds{job="node-exporter"}[5m]) <= 0 )
| The clock of {instance} is wrong
= 0.2, s @ 10.0.0.12 {} The clock of 10.0.0.12:9100 is wrong

NodeCPUHighUsage info
«sum without(mode) (avg without (cpu) (rate(node_cpu_seconds_total{job="node-exporter", mode!~"idle|iowait"}[2m]))) * 100» > 70
| {instance} is busy
= 75, %, high 70 @ node-1 {} node-1 is busy

NodeSystemSaturation warning
«node_load1{job="node-exporter"} / count without (cpu, mode) (node_cpu_seconds_total{job="node-exporter", mode="idle"})» > 2
| {instance} is loaded
= 4.5, high 2, metric last_minute_per_core @ node-1 {} node-1 is loaded

NodeMemoryHighUtilization warning
«100 - (node_memory_MemAvailable_bytes{job="node-exporter"} / node_memory_MemTotal_bytes{job="node-exporter"} * 100)» > 90
| {instance} has little memory left
= 95, %, high 90, metric memory_used_percent @ node-1 {} node-1 has little memory left

NodeSystemdServiceFailed warning
«node_systemd_unit_state{job="node-exporter", state="failed"}» == 1
| {name} failed at {instance}
= 1 @ node-1 {} a.service failed at node-1

TargetDown warning
«100 * (count(up == 0) BY (cluster, job, namespace, service) / count(up) BY (cluster, job, namespace, service))» > 10
| Targets of {job} in {namespace} are down
= 33.3333, %, high 10 @ kube-system {job=kubelet} Targets of kubelet in kube-system are down

Watchdog none
vector(1)
= 1 @ global {} vector(1)

InfoInhibitor none
«group by (namespace) (ALERTS{severity = "info"} == 1)» unless on (namespace) group by (namespace) (ALERTS{alertname != "InfoInhibitor", alertstate = "firing", severity =~ "warning|critical"} == 1)
| Alerts about {namespace} inform
= 1 @ quiet {} Alerts about quiet inform

QuietNamespace info
«kube_namespace_labels{namespace="quiet"}» > 0
| {namespace}
= 1, high 0 @ quiet {} quiet

AlertmanagerMembersInconsistent critical
# Without max_over_time, failed scrapes could create false negatives
«max_over_time(alertmanager_cluster_members{job="alertmanager-main",container="alertmanager",namespace="monitoring"}[5m])» < on (namespace,service) group_left count by (namespace,service) (max_over_time(alertmanager_cluster_members{job="alertmanager-main",container="alertmanager",namespace="monitoring"}[5m]))
| {pod} does not see all others
= 1 @ monitoring/alertmanager-main {pod=alertmanager-main-0} alertmanager-main-0 does not see all others

BlackboxProbeFailed critical
«probe_success» == 0
| {instance} is away
= 0 @ https://shop.example/health {} https://shop.example/health is away

BlackboxProbeHttpFailure critical
«probe_http_status_code» <= 199 OR probe_http_status_code >= 400
| {instance} answers with an error
= 503 @ https://shop.example/health {} https://shop.example/health answers with an error

BlackboxSslCertificateWillExpireSoon warning
3 <= «round((last_over_time(probe_ssl_earliest_cert_expiry[10m]) - time()) / 86400, 0.1)» < 20
| The certificate of {instance} ends soon
= 10, d @ https://shop.example/health {} The certificate of https://shop.example/health ends soon

PostgresqlTooManyConnections warning
«sum by (instance, job, server) (pg_stat_activity_count)» > min by (instance, job, server) (pg_settings_max_connections * 0.8)
| {server} has many connections
= 95 @ pg-1 {} pg-1:5432 has many connections

PostgresqlRestarted critical
«time() - pg_postmaster_start_time_seconds» < 3600
| {server} restarted
= 1500, s, low 3600, moving @ pg-1 {} pg-1:5432 restarted

RedisOutOfConfiguredMaxmemory warning
«redis_memory_used_bytes / redis_memory_max_bytes * 100» > 90 and on(instance) redis_memory_max_bytes > 0
| {instance} is full
= 95, %, high 90 @ redis-1 {} redis-1:6379 is full

RedisMissingMaster critical
(«count(redis_instance_info{role="master"}) or vector(0)») < 1
| There is no master
= 0, low 1 @ global {} There is no master

RedisMissingBackup critical
«time() - redis_rdb_last_save_timestamp_seconds» > 60 * 60 * 48
| {instance} was not saved
= 180000, s, high 172800, moving @ redis-1 {} redis-1:6379 was not saved

MysqlTooManyConnections(>80%) warning
«max_over_time(mysql_global_status_threads_connected[1m]) / mysql_global_variables_max_connections * 100» > 80 and mysql_global_variables_max_connections > 0
| {instance} has many connections
= 95, high 80 @ mysql-1 {} mysql-1:3306 has many connections

MysqlSlaveReplicationLag critical
( «(mysql_slave_status_seconds_behind_master - mysql_slave_status_sql_delay) and ON (instance) mysql_slave_status_master_server_id > 0» ) > 30
| {instance} lags
= 60, high 30 @ mysql-1 {} mysql-1:3306 lags

EtcdHighFsyncDurations warning
«histogram_quantile(0.99, sum(rate(etcd_disk_wal_fsync_duration_seconds_bucket[5m])) by (instance, le))» > 0.5
| {instance} is slow
= 1, s, high 0.5 @ 10.0.0.1 {} 10.0.0.1:2381 is slow

EtcdMemberCommunicationSlow warning
«histogram_quantile(0.99, sum(rate(etcd_network_peer_round_trip_time_seconds_bucket[5m])) by (instance, le))» > 0.15
| {instance} is far
= 0.2, s, high 0.15 @ 10.0.0.1 {} 10.0.0.1:2381 is far

EtcdNoLeader critical
«etcd_server_has_leader» == 0
| {pod} has no leader
= 0 @ kube-system/etcd-node-1 {} etcd-node-1 has no leader

EtcdInsufficientMembers critical
«count(etcd_server_id) % 2» == 0
| etcd has too few
= 0 @ global {} etcd has too few

Cert-managerCertificateExpiringSoon warning
«avg by (exported_namespace, namespace, name) (certmanager_certificate_expiration_timestamp_seconds - time())» < (21 * 24 * 3600)
| {name} in {exported_namespace} ends soon
= 864000, s, low 1814400, moving @ cert-manager {} shop-tls in shop ends soon

Cert-managerCertificateNotReady critical
max by (name, exported_namespace, namespace, condition) (certmanager_certificate_ready_status{condition!="True"} == 1)
| {name} is not ready
= 1 @ cert-manager {} shop-tls is not ready

ArgocdServiceNotSynced warning
«argocd_app_info{sync_status!="Synced"}» != 0
| {name} is not as it should be
= 1 @ argocd/argocd-application-controller {} shop-app is not as it should be

RabbitmqTooManyReadyMessages warning
«sum(rabbitmq_queue_messages_ready) BY (queue)» > 1000
| {queue} is full
= 2000, high 1000 @ global {} orders is full

RabbitmqUnroutableMessages warning
increase(rabbitmq_channel_messages_unroutable_returned_total[5m]) > 3 or increase(rabbitmq_channel_messages_unroutable_dropped_total[5m]) > 3
| {pod} loses messages
= 300, high 3 @ mq/rabbit {} rabbit-0 loses messages

KafkaConsumerGroupLag warning
«sum(kafka_consumergroup_lag) by (consumergroup)» > 10000
| {consumergroup} lags
= 20000, high 10000 @ global {} billing lags

ElasticsearchHeapUsageTooHigh critical
«(elasticsearch_jvm_memory_used_bytes{area="heap"} / elasticsearch_jvm_memory_max_bytes{area="heap"}) * 100» > 90 and elasticsearch_jvm_memory_max_bytes{area="heap"} > 0
| {name} is full
= 95, %, high 90 @ es-1 {} es-node-1 is full

ElasticsearchClusterRed critical
«elasticsearch_cluster_health_status{color="red"}» == 1
| {cluster_name} is red
= 1 @ es-1 {} logs is red

PrometheusErrorSendingAlertsToSomeAlertmanagers warning
«( rate(prometheus_notifications_errors_total{job="prometheus-k8s",namespace="monitoring"}[5m]) / rate(prometheus_notifications_sent_total{job="prometheus-k8s",namespace="monitoring"}[5m]) ) * 100» > 1
| {pod} cannot send
= 5, high 1 @ monitoring/prometheus-k8s {} prometheus-k8s-0 cannot send
`

const blocks = table.trim().split('\n\n')

/** Every alert that is expected: a rule has one or more. */
export const clusterRules: readonly ClusterRule[] = blocks.flatMap((block) => {
  const lines = block.split('\n')
  const [, name = '', severity = ''] = /^(\S+) (\w+)$/.exec(lines[0] ?? '') ?? []
  const marked = lines.filter((line, at) => at > 0 && !/^[|=] /.test(line)).join('\n')
  const summary = lines.find((line) => line.startsWith('| '))?.slice(2) ?? ''
  const expression = marked.replaceAll(/ ?»|«/g, '')
  return lines
    .filter((line) => line.startsWith('= '))
    .map((line) => {
      const [, said = '', server = '', labels = '', title = ''] =
        /^= (.*?) @ (\S+) \{(.*?)\} (.*)$/.exec(line) ?? []
      const [value, ...facts] = said.split(', ')
      const isLimit = (fact: string) => /^(?:high|low) /.test(fact)
      const metric = facts.find((fact) => fact.startsWith('metric '))?.slice(7)
      return {
        name,
        severity,
        expression,
        drawn: /«(.*?) ?»/s.exec(marked)?.[1] ?? expression,
        summary: summary.replaceAll(/\{(\w+)\}/g, '{{ $labels.$1 }}'),
        title,
        value: value === 'any' ? Number.NaN : Number(value),
        isMoving: facts.includes('moving'),
        units: facts.find((fact) => !isLimit(fact) && !/^(?:metric |moving$)/.test(fact)) ?? '',
        limit: facts.find(isLimit) ?? '',
        metric: metric ?? name,
        server,
        labels: Object.fromEntries(labels === '' ? [] : labels.split(',').map((one) => one.split('='))),
      }
    })
})

/** What recording rules make of the town, as the mixins do. */
export const recordings = [
  {
    record: 'node_quantile:kubelet_pleg_relist_duration_seconds:histogram_quantile',
    expr: 'histogram_quantile(0.99, sum(rate(kubelet_pleg_relist_duration_seconds_bucket{job="kubelet", metrics_path="/metrics"}[5m])) by (cluster, instance, le) * on(cluster, instance) group_left (node) max by (cluster, instance, node) (kubelet_node_name{job="kubelet", metrics_path="/metrics"}))',
    labels: { quantile: '0.99' },
  },
  { record: 'apiserver_request:burnrate1h', expr: 'vector(0.2)' },
  { record: 'apiserver_request:burnrate5m', expr: 'vector(0.3)' },
  {
    record: 'namespace_cpu:kube_pod_container_resource_requests:sum',
    expr: 'sum by (namespace) (kube_pod_container_resource_requests{resource="cpu"})',
  },
]
