/** Rules as real teams write them, which all fire where `life-hosts.ts` is scraped. */

import { appRules, type LifeRule } from './life-app-rules.ts'

const info = '* on(instance) group_left (nodename) node_uname_info{nodename=~".+"}'

export const lifeRules: readonly LifeRule[] = [
  // Memory: available is not used, bytes are no percentage, a share is none either.
  [
    'MemAvailable',
    'node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes * 100 < 10',
    5,
    { units: '%', limit: 'low 10' },
  ],
  [
    'MemAvailableHere',
    `(node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes * 100 < 10) ${info}`,
    5,
    { units: '%', limit: 'low 10' },
  ],
  [
    'MemAvailableShare',
    'node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes < 0.1',
    0.05,
    { limit: 'low 0.1' },
  ],
  [
    'MemAvailableBytes',
    'node_memory_MemAvailable_bytes < 512*1024*1024',
    4e8,
    { units: 'bytes', limit: 'low 536870912' },
  ],
  [
    'MemAvailableMega',
    'node_memory_MemAvailable_bytes / 1024 / 1024 < 512',
    381.4697,
    { units: 'MiB', limit: 'low 512' },
  ],
  [
    'MemUsed',
    '(1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes) * 100 > 90',
    95,
    { metric: 'memory_used_percent', units: '%', limit: 'max 90' },
  ],
  [
    'MemUsedOtherwise',
    '90 < 100 * (node_memory_MemTotal_bytes - node_memory_MemAvailable_bytes) / node_memory_MemTotal_bytes',
    95,
    { metric: 'memory_used_percent', units: '%', limit: 'max 90' },
  ],
  [
    'MemUsedShare',
    '1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes > 0.9',
    0.95,
    { limit: 'max 0.9' },
  ],
  [
    'MemUsedOld',
    '100 - (node_memory_MemFree_bytes + node_memory_Cached_bytes + node_memory_Buffers_bytes) / node_memory_MemTotal_bytes * 100 > 90',
    96.25,
    { units: '%', limit: 'max 90' },
  ],
  [
    'MemUsedBytes',
    'node_memory_MemTotal_bytes - node_memory_MemAvailable_bytes > 1e9',
    7.6e9,
    { units: 'bytes', limit: 'max 1000000000' },
  ],
  [
    'MemUsedMega',
    '(node_memory_MemTotal_bytes - node_memory_MemAvailable_bytes) / 1048576 > 1e3',
    7_247.9248,
    { metric: 'memory_used', units: 'MiB', limit: 'max 1000' },
  ],
  [
    'SwapUsed',
    '(1 - (node_memory_SwapFree_bytes / node_memory_SwapTotal_bytes)) * 100 > 80',
    90,
    { metric: 'swap_used_percent', units: '%', limit: 'max 80' },
  ],
  [
    'SwapFree',
    'node_memory_SwapFree_bytes / node_memory_SwapTotal_bytes * 100 < 20',
    10,
    { units: '%', limit: 'low 20' },
  ],
  // Processors: idle is not busy.
  [
    'CpuBusy',
    '100 - (avg by (instance) (rate(node_cpu_seconds_total{mode="idle"}[10s])) * 100) > 80',
    90,
    { metric: 'cpu_busy', units: '%', limit: 'max 80' },
  ],
  [
    'CpuIdle',
    'avg by (instance) (rate(node_cpu_seconds_total{mode="idle"}[10s])) * 100 < 20',
    10,
    { units: '%', limit: 'low 20' },
  ],
  [
    'CpuShare',
    `(sum by (instance) (avg by (mode, instance) (rate(node_cpu_seconds_total{mode!="idle"}[10s]))) > 0.8) ${info}`,
    0.9,
    { limit: 'max 0.8' },
  ],
  [
    'CpuIowait',
    'avg by (instance) (rate(node_cpu_seconds_total{mode="iowait"}[10s])) * 100 > 10',
    15,
    { metric: 'cpu_iowait', units: '%', limit: 'max 10' },
  ],
  [
    'CpuSteal',
    'avg by(instance) (rate(node_cpu_seconds_total{mode="steal"}[10s])) * 100 > 2',
    5,
    { units: '%', limit: 'max 2' },
  ],
  [
    'CpuOfJob',
    '100 - (avg by (job) (rate(node_cpu_seconds_total{mode="idle"}[10s])) * 100) > 80',
    90,
    { units: '%', limit: 'max 80', server: 'node' },
  ],
  [
    'CpuOfAll',
    '(1 - avg(rate(node_cpu_seconds_total{mode="idle"}[10s]))) * 100 > 80',
    90,
    { units: '%', limit: 'max 80', server: 'global' },
  ],
  // Load.
  ['Load', 'node_load1 > 8', 9, { metric: 'last_minute', limit: 'max 8' }],
  [
    'LoadPerCore',
    'node_load1 / count without (cpu, mode) (node_cpu_seconds_total{mode="idle"}) > 2',
    4.5,
    { metric: 'last_minute_per_core', limit: 'max 2' },
  ],
  [
    'LoadAgainstCores',
    'node_load5 > on(instance) count by (instance) (node_cpu_seconds_total{mode="idle"})',
    8,
    { metric: 'last_five_minutes' },
  ],
  ['LoadBefore', 'avg_over_time(node_load1[10s]) > 8', 9, { limit: 'max 8' }],
  ['LoadOffset', 'node_load1 offset 2s > 8', 9, { limit: 'max 8' }],
  ['LoadAtEnd', 'node_load1 @ end() > 8', 9, { limit: 'max 8' }],
  ['LoadSubquery', 'max_over_time(node_load1[10s:1s]) > 8', 9, { limit: 'max 8' }],
  ['LoadBool', 'node_load1 > bool 8', 1],
  ['LoadNested', '((node_load15) > ((2) + 3))', 7, { metric: 'last_fifteen_minutes', limit: 'max 5' }],
  // Disks: two volumes of one server.
  [
    'DiskFree',
    `(node_filesystem_avail_bytes * 100) / node_filesystem_size_bytes < 10 and ON (instance, device, mountpoint) node_filesystem_readonly == 0`,
    4,
    { units: '%', limit: 'low 10' },
  ],
  ['DiskFree', '', 7, { units: '%', limit: 'low 10' }],
  [
    'DiskBytes',
    'node_filesystem_avail_bytes{mountpoint="/"} < 5e9',
    4e9,
    { units: 'bytes', limit: 'low 5000000000' },
  ],
  [
    'DiskUsed',
    '100 - (node_filesystem_avail_bytes{mountpoint="/"} / node_filesystem_size_bytes{mountpoint="/"}) * 100 > 90',
    96,
    { units: '%', limit: 'max 90' },
  ],
  [
    'DiskWillFill',
    'predict_linear(node_filesystem_avail_bytes{mountpoint="/"}[10s], 3600) < 5e9',
    4e9,
    { units: 'bytes', limit: 'low 5000000000' },
  ],
  [
    'Inodes',
    'node_filesystem_files_free{mountpoint="/"} / node_filesystem_files{mountpoint="/"} * 100 < 10',
    3,
    { limit: 'low 10' },
  ],
  ['DiskIo', 'rate(node_disk_io_time_seconds_total[10s]) > 0.5', 0.9, { limit: 'max 0.5' }],
  [
    'DiskLatency',
    `(rate(node_disk_read_time_seconds_total[10s]) / rate(node_disk_reads_completed_total[10s]) > 0.1 and rate(node_disk_reads_completed_total[10s]) > 0) ${info}`,
    0.15,
    { limit: 'max 0.1' },
  ],
  // Network and the rest of a host.
  [
    'NetworkIn',
    'sum by (instance) (rate(node_network_receive_bytes_total[10s])) / 1024 / 1024 > 100',
    200,
    { units: 'MiB/s', limit: 'max 100' },
  ],
  [
    'NetworkTotal',
    'node_network_receive_bytes_total > 0',
    Number.NaN,
    { units: 'bytes', limit: 'max 0', isMoving: true },
  ],
  [
    'NetworkErrors',
    'rate(node_network_receive_errs_total[10s]) / rate(node_network_receive_packets_total[10s]) > 0.01',
    0.05,
    { limit: 'max 0.01' },
  ],
  ['Faults', `(rate(node_vmstat_pgmajfault[10s]) > 1000) ${info}`, 2_000, { limit: 'max 1000' }],
  ['Processes', 'node_procs_running + node_procs_blocked > 500', 600, { limit: 'max 500' }],
  [
    'ClockSkew',
    '(node_timex_offset_seconds > 0.05 and deriv(node_timex_offset_seconds[10s]) >= 0) or (node_timex_offset_seconds < -0.05 and deriv(node_timex_offset_seconds[10s]) <= 0)',
    0.2,
    { units: 's' },
  ],
  [
    'Rebooted',
    'time() - node_boot_time_seconds < 3600',
    300,
    { units: 's', limit: 'low 3600', isMoving: true },
  ],
  [
    'Conntrack',
    '(node_nf_conntrack_entries / node_nf_conntrack_entries_limit) > 0.75',
    0.9,
    { limit: 'max 0.75' },
  ],
  ['FileHandles', 'node_filefd_allocated * 100 / node_filefd_maximum > 70', 95, { limit: 'max 70' }],
  ['TooHot', `(node_hwmon_temp_celsius > 75) ${info}`, 90, { units: '°C', limit: 'max 75' }],
  ['UnitFailed', 'node_systemd_unit_state{state="failed"} == 1', 1],
  ...appRules,
]
