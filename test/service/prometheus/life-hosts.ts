/** A host and an application as exporters show them. */

/** Counters grow steadily with the real time; the rest stands still. */
export function hostText(nowMs = Date.now()): string {
  const seconds = nowMs / 1_000 - 1_790_000_000
  const modes = { idle: 0.1, user: 0.5, system: 0.2, iowait: 0.15, steal: 0.05 }
  const disk = (mount: string, avail: number) => {
    const labels = `{device="/dev${mount}",fstype="ext4",mountpoint="${mount}"}`
    return [
      `node_filesystem_size_bytes${labels} 1e11`,
      `node_filesystem_free_bytes${labels} ${avail * 1.5}`,
      `node_filesystem_avail_bytes${labels} ${avail}`,
      `node_filesystem_readonly${labels} 0`,
      `node_filesystem_files${labels} 1000`,
      `node_filesystem_files_free${labels} 30`,
    ]
  }
  return [
    ...Object.entries(modes).flatMap(([mode, share]) =>
      [0, 1].map((at) => `node_cpu_seconds_total{cpu="${at}",mode="${mode}"} ${seconds * share}`),
    ),
    'node_load1 9\nnode_load5 8\nnode_load15 7',
    'node_memory_MemTotal_bytes 8e9\nnode_memory_MemAvailable_bytes 4e8\nnode_memory_MemFree_bytes 1e8',
    'node_memory_Buffers_bytes 1e8\nnode_memory_Cached_bytes 1e8',
    'node_memory_SwapTotal_bytes 1e9\nnode_memory_SwapFree_bytes 1e8',
    ...disk('/', 4e9),
    ...disk('/data', 7e9),
    `node_disk_io_time_seconds_total{device="sda"} ${seconds * 0.9}`,
    `node_disk_read_time_seconds_total{device="sda"} ${seconds * 0.3}`,
    `node_disk_reads_completed_total{device="sda"} ${seconds * 2}`,
    `node_network_receive_bytes_total{device="eth0"} ${seconds * 209_715_200}`,
    `node_network_receive_errs_total{device="eth0"} ${seconds * 5}`,
    `node_network_receive_packets_total{device="eth0"} ${seconds * 100}`,
    `node_vmstat_pgmajfault ${seconds * 2_000}`,
    'node_procs_running 300\nnode_procs_blocked 300',
    'node_timex_offset_seconds 0.2\nnode_nf_conntrack_entries 900\nnode_nf_conntrack_entries_limit 1000',
    'node_filefd_allocated 950\nnode_filefd_maximum 1000\nnode_uname_info{nodename="web-1"} 1',
    `node_boot_time_seconds ${Math.floor(nowMs / 1_000) - 300}`,
    'node_hwmon_temp_celsius{chip="c",sensor="t1"} 90\nnode_systemd_unit_state{name="a.service",state="failed"} 1',
  ].join('\n')
}

export function appText(): string {
  const seconds = Date.now() / 1_000 - 1_790_000_000
  return [
    'kubelet_volume_stats_available_bytes{persistentvolumeclaim="p1"} 5e8',
    'kubelet_volume_stats_capacity_bytes{persistentvolumeclaim="p1"} 1e10',
    'kubelet_volume_stats_available_bytes{persistentvolumeclaim="p2"} 2e8',
    'kubelet_volume_stats_capacity_bytes{persistentvolumeclaim="p2"} 1e10',
    `http_requests_total{code="500"} ${seconds * 10}\nhttp_requests_total{code="200"} ${seconds * 90}`,
    `http_request_duration_seconds_sum ${seconds * 50}\nhttp_request_duration_seconds_count ${seconds * 100}`,
    `http_request_duration_seconds_bucket{le="1"} 0\nhttp_request_duration_seconds_bucket{le="3"} ${seconds * 100}`,
    `http_request_duration_seconds_bucket{le="+Inf"} ${seconds * 100}`,
    'probe_success 0\nprobe_duration_seconds 2.5',
    `probe_ssl_earliest_cert_expiry ${Math.floor(Date.now() / 1_000) + 864_000}`,
    'mysql_threads_connected 95\nmysql_max_connections 100\nredis_used_bytes 95\nredis_max_bytes 100',
    'pg_replication_lag_seconds 31\nqueue_length 12\nqueue_limit 10\nerror_ratio 0.00002',
    'config_reload_successful 0\ncluster_members 2\ncache_hit_percent 12',
  ].join('\n')
}
