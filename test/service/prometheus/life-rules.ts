/** Rules as real teams write them, for hosts, clusters and applications; all of them fire where `life-hosts.ts` is scraped. */

/** A rule, and what an alert of it says as a reader of the rule understands it. */
export type LifeRule = {
  readonly name: string
  /** Two rules may have one name. */
  readonly severity: string
  /** Of one that has several alerts it is there several times. */
  readonly expression: string
  readonly summary: string
  readonly title: string
  /** Labels that choose this alert among others of the rule. */
  readonly labels: Readonly<Record<string, string>>
  /** Not a number: any. */
  readonly value: number
  /** Nothing where none is proven. */
  readonly units: string
  /** `high 80`, `low 10`, or nothing. */
  readonly limit: string
  /** The rule's own name where none is proven. */
  readonly metric: string
  readonly server: string
  /** It goes on changing, as a time does. */
  readonly isMoving: boolean
}

const info = '* on(instance) group_left (nodename) node_uname_info{nodename=~".+"}'

/** `name: expression => value, units, limit, metric …, server …, moving`; what is left out is usual. Without an expression: another alert of the rule above. */
const table = `
# Memory: available is not used, bytes are no percentage, a share is none either.
MemAvailable: node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes * 100 < 10 => 5, %, low 10
MemAvailableHere: (node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes * 100 < 10) $info => 5, %, low 10
MemAvailableShare: node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes < 0.1 => 0.05, low 0.1
MemAvailableBytes: node_memory_MemAvailable_bytes < 512*1024*1024 => 400000000, bytes, low 536870912
MemAvailableMega: node_memory_MemAvailable_bytes / 1024 / 1024 < 512 => 381.4697, MiB, low 512
MemUsed: (1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes) * 100 > 90 => 95, %, high 90, metric memory_used_percent
MemUsedOtherwise: 90 < 100 * (node_memory_MemTotal_bytes - node_memory_MemAvailable_bytes) / node_memory_MemTotal_bytes => 95, %, high 90, metric memory_used_percent
MemUsedShare: 1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes > 0.9 => 0.95, high 0.9
MemUsedOld: 100 - (node_memory_MemFree_bytes + node_memory_Cached_bytes + node_memory_Buffers_bytes) / node_memory_MemTotal_bytes * 100 > 90 => 96.25, %, high 90
MemUsedBytes: node_memory_MemTotal_bytes - node_memory_MemAvailable_bytes > 1e9 => 7600000000, bytes, high 1000000000
MemUsedMega: (node_memory_MemTotal_bytes - node_memory_MemAvailable_bytes) / 1048576 > 1e3 => 7247.9248, MiB, high 1000, metric memory_used
SwapUsed: (1 - (node_memory_SwapFree_bytes / node_memory_SwapTotal_bytes)) * 100 > 80 => 90, %, high 80, metric swap_used_percent
SwapFree: node_memory_SwapFree_bytes / node_memory_SwapTotal_bytes * 100 < 20 => 10, %, low 20
# Processors: idle is not busy.
CpuBusy: 100 - (avg by (instance) (rate(node_cpu_seconds_total{mode="idle"}[10s])) * 100) > 80 => 90, %, high 80, metric cpu_busy
CpuIdle: avg by (instance) (rate(node_cpu_seconds_total{mode="idle"}[10s])) * 100 < 20 => 10, %, low 20
CpuShare: (sum by (instance) (avg by (mode, instance) (rate(node_cpu_seconds_total{mode!="idle"}[10s]))) > 0.8) $info => 0.9, high 0.8
CpuIowait: avg by (instance) (rate(node_cpu_seconds_total{mode="iowait"}[10s])) * 100 > 10 => 15, %, high 10, metric cpu_iowait
CpuSteal: avg by(instance) (rate(node_cpu_seconds_total{mode="steal"}[10s])) * 100 > 2 => 5, %, high 2
CpuOfJob: 100 - (avg by (job) (rate(node_cpu_seconds_total{mode="idle"}[10s])) * 100) > 80 => 90, %, high 80, server node
CpuOfAll: (1 - avg(rate(node_cpu_seconds_total{mode="idle"}[10s]))) * 100 > 80 => 90, %, high 80, server global
# Load.
Load: node_load1 > 8 => 9, high 8, metric last_minute
LoadPerCore: node_load1 / count without (cpu, mode) (node_cpu_seconds_total{mode="idle"}) > 2 => 4.5, high 2, metric last_minute_per_core
LoadAgainstCores: node_load5 > on(instance) count by (instance) (node_cpu_seconds_total{mode="idle"}) => 8, metric last_five_minutes
LoadBefore: avg_over_time(node_load1[10s]) > 8 => 9, high 8
LoadOffset: node_load1 offset 2s > 8 => 9, high 8
LoadAtEnd: node_load1 @ end() > 8 => 9, high 8
LoadSubquery: max_over_time(node_load1[10s:1s]) > 8 => 9, high 8
LoadBool: node_load1 > bool 8 => 1
LoadNested: ((node_load15) > ((2) + 3)) => 7, high 5, metric last_fifteen_minutes
# Disks: two volumes of one server.
DiskFree: (node_filesystem_avail_bytes * 100) / node_filesystem_size_bytes < 10 and ON (instance, device, mountpoint) node_filesystem_readonly == 0 => 4, %, low 10
DiskFree: => 7, %, low 10
DiskBytes: node_filesystem_avail_bytes{mountpoint="/"} < 5e9 => 4000000000, bytes, low 5000000000
DiskUsed: 100 - (node_filesystem_avail_bytes{mountpoint="/"} / node_filesystem_size_bytes{mountpoint="/"}) * 100 > 90 => 96, %, high 90
DiskWillFill: predict_linear(node_filesystem_avail_bytes{mountpoint="/"}[10s], 3600) < 5e9 => 4000000000, bytes, low 5000000000
Inodes: node_filesystem_files_free{mountpoint="/"} / node_filesystem_files{mountpoint="/"} * 100 < 10 => 3, low 10
DiskIo: rate(node_disk_io_time_seconds_total[10s]) > 0.5 => 0.9, high 0.5
DiskLatency: (rate(node_disk_read_time_seconds_total[10s]) / rate(node_disk_reads_completed_total[10s]) > 0.1 and rate(node_disk_reads_completed_total[10s]) > 0) $info => 0.15, high 0.1
# Network and the rest of a host.
NetworkIn: sum by (instance) (rate(node_network_receive_bytes_total[10s])) / 1024 / 1024 > 100 => 200, MiB/s, high 100
NetworkTotal: node_network_receive_bytes_total > 0 => any, bytes, high 0, moving
NetworkErrors: rate(node_network_receive_errs_total[10s]) / rate(node_network_receive_packets_total[10s]) > 0.01 => 0.05, high 0.01
Faults: (rate(node_vmstat_pgmajfault[10s]) > 1000) $info => 2000, high 1000
Processes: node_procs_running + node_procs_blocked > 500 => 600, high 500
ClockSkew: (node_timex_offset_seconds > 0.05 and deriv(node_timex_offset_seconds[10s]) >= 0) or (node_timex_offset_seconds < -0.05 and deriv(node_timex_offset_seconds[10s]) <= 0) => 0.2, s
Rebooted: time() - node_boot_time_seconds < 3600 => 300, s, low 3600, moving
Conntrack: (node_nf_conntrack_entries / node_nf_conntrack_entries_limit) > 0.75 => 0.9, high 0.75
FileHandles: node_filefd_allocated * 100 / node_filefd_maximum > 70 => 95, high 70
TooHot: (node_hwmon_temp_celsius > 75) $info => 90, °C, high 75
UnitFailed: node_systemd_unit_state{state="failed"} == 1 => 1
# Applications.
VolumeFree: kubelet_volume_stats_available_bytes / kubelet_volume_stats_capacity_bytes * 100 < 10 => 5, %, low 10, server app-1
VolumeFree: => 2, %, low 10, server app-1
Errors: sum(rate(http_requests_total{code=~"5.."}[10s])) by (instance) / sum(rate(http_requests_total[10s])) by (instance) * 100 > 5 => 10, %, high 5, server app-1
Latency: histogram_quantile(0.5, sum(rate(http_request_duration_seconds_bucket[10s])) by (instance, le)) > 1 => 2, s, high 1, server app-1
LatencyMean: rate(http_request_duration_seconds_sum[10s]) / rate(http_request_duration_seconds_count[10s]) > 0.1 => 0.5, s, high 0.1, server app-1
ProbeFailed: probe_success == 0 => 0, server app-1
ProbeSlow: probe_duration_seconds > 1 => 2.5, s, high 1, server app-1
CertificateSoon: (probe_ssl_earliest_cert_expiry - time()) / 86400 < 20 => 10, d, low 20, server app-1
Connections: mysql_threads_connected / mysql_max_connections * 100 > 80 => 95, high 80, server app-1
RedisMemory: redis_used_bytes / redis_max_bytes * 100 > 90 unless redis_max_bytes == 0 => 95, %, high 90, server app-1
Replication: pg_replication_lag_seconds > 30 => 31, s, high 30, server app-1
QueueFull: queue_length > queue_limit => 12, server app-1
ErrorRatio: error_ratio > 1e-5 => 0.00002, high 0.00001, server app-1
Reload: config_reload_successful != 1 => 0, server app-1
Even: cluster_members % 2 == 0 => 0, server app-1
CacheHits: cache_hit_percent < 50 => 12, %, low 50, server app-1
NobodyBuys: absent(shop_orders{job="shop"}) => 1, server shop
# Silence: web-2 is away; of web-3 one port of two answers.
Down: up{job="away"} == 0 => any, metric seconds_since_report, server web-2
DownOtherwise: (1 > up{job="away"}) unless on(job) (up == 1) => any, metric seconds_since_report, server web-2
HalfDown: up{job="half"} == 0 => 0, server web-3
DownForLong: max_over_time(up{job="away"}[10s]) == 0 => 0, server web-2
AllDown: sum by (job) (up{job="away"}) == 0 => 0, server away
SomeDown: 100 * (count by (job) (up == 0) / count by (job) (up)) > 10 => 100, %, high 10, server away
CountDown: count(up == 0) > 1 => 3, high 1, server global
JobAbsent: absent(up{job="gone"}) => 1, server gone
Up: up{job="away"} < 2 => 0, low 2, server web-2
`

function ruleOf(line: string, at: number, lines: readonly string[]): LifeRule {
  const [, name = '', expression = '', said = ''] = /^(\w+): (.*?) ?=> (.*)$/.exec(line) ?? []
  const [value, ...facts] = said.split(', ')
  const rest = (word: string) => facts.find((fact) => fact.startsWith(`${word} `))?.slice(word.length + 1)
  const last = lines.slice(0, at).findLast((other) => other.startsWith(`${name}: `))
  // Another alert of the rule above.
  const own = expression === '' ? /: (.*?) => /.exec(last ?? '')?.[1] : expression
  return {
    name,
    severity: 'warning',
    expression: (own ?? '').replace('$info', info),
    summary: `This is ${name}`,
    title: `This is ${name}`,
    labels: {},
    value: value === 'any' ? Number.NaN : Number(value),
    units: facts.find((fact) => !/^(?:high|low|metric|server) |^moving$/.test(fact)) ?? '',
    limit: facts.find((fact) => /^(?:high|low) /.test(fact)) ?? '',
    metric: rest('metric') ?? name,
    server: rest('server') ?? 'web-1',
    isMoving: facts.includes('moving'),
  }
}

export const lifeRules: readonly LifeRule[] = table
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map(ruleOf)
