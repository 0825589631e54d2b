import {
  between,
  countField,
  firstRows,
  measuredNumber,
  noParameters,
  parameters,
  type SandboxTool,
  toolTimeText,
} from './tool.ts'

const processNames = ['node', 'nginx', 'postgres', 'redis-server', 'systemd', 'sshd', 'cron', 'containerd']

/** Tools that look at the operating system as a whole. */
export const systemTools: readonly SandboxTool[] = [
  {
    name: 'os.overview',
    version: '1.4.0',
    description: 'Load, memory, disk and uptime at a glance.',
    input: noParameters,
    run(_params, { host, atMs, random }) {
      const diskUsedPercent = host.hasSickDisk ? 97.4 : measuredNumber(random, 30, 60)
      const cpuPercent = measuredNumber(random, 5, 45)
      return {
        data: {
          hostname: host.locator,
          os: 'Ubuntu 24.04 LTS',
          kernel: '6.8.0-45-generic',
          cpu_count: 4,
          cpu_percent: cpuPercent,
          load: [
            measuredNumber(random, 0.2, 1.8, 2),
            measuredNumber(random, 0.2, 1.6, 2),
            measuredNumber(random, 0.2, 1.4, 2),
          ],
          memory_total_bytes: 16_777_216_000,
          memory_used_percent: measuredNumber(random, 35, 65),
          disk_used_percent: diskUsedPercent,
          uptime_seconds: Math.max(0, Math.floor((atMs - Date.parse('2026-01-01T00:00:00Z')) / 1000)),
          sampled_at: toolTimeText(atMs),
        },
        summary: host.hasSickDisk
          ? `disk ${diskUsedPercent}% full with read errors, cpu ${cpuPercent}%`
          : `healthy: cpu ${cpuPercent}%, disk ${diskUsedPercent}% full`,
      }
    },
  },
  {
    name: 'os.top_processes',
    version: '1.2.1',
    description: 'The processes that use most.',
    input: parameters({
      top_n: countField(5, 100, 'How many processes.'),
      sort_by: { type: 'string', enum: ['cpu', 'memory'], default: 'cpu', description: 'What to sort by.' },
    }),
    run({ top_n = 5, sort_by = 'cpu' }, { random }) {
      const processes = processNames.map((name, index) => ({
        pid: 400 + index * 37,
        name,
        cpu_percent: measuredNumber(random, 0, 30),
        memory_percent: measuredNumber(random, 0.1, 12),
      }))
      const column = sort_by === 'memory' ? 'memory_percent' : 'cpu_percent'
      const { rows, truncated } = firstRows(
        processes.sort((a, b) => b[column] - a[column]),
        top_n,
      )
      return {
        data: { processes: rows, total: processes.length },
        summary: `${rows[0]?.name} uses most ${sort_by}`,
        truncated,
      }
    },
  },
  {
    name: 'os.cpu',
    version: '1.1.0',
    description: 'Use of each processor.',
    input: noParameters,
    run(_params, { random }) {
      const cores = [0, 1, 2, 3].map((core) => ({ core, busy_percent: measuredNumber(random, 4, 50) }))
      return {
        data: { cores, iowait_percent: measuredNumber(random, 0, 3), steal_percent: 0 },
        summary: '4 cores, none saturated',
      }
    },
  },
  {
    name: 'os.memory',
    version: '1.1.0',
    description: 'Memory and swap.',
    input: noParameters,
    run(_params, { random }) {
      const usedBytes = between(random, 6_000_000_000, 10_000_000_000)
      return {
        data: {
          total_bytes: 16_777_216_000,
          used_bytes: usedBytes,
          available_bytes: 16_777_216_000 - usedBytes,
          swap_used_bytes: 0,
        },
        summary: `${Math.round(usedBytes / 167_772_160)}% of memory used, no swap`,
      }
    },
  },
  {
    name: 'os.services',
    version: '1.0.2',
    description: 'Services of the init system.',
    input: parameters({
      state: {
        type: 'string',
        enum: ['all', 'running', 'failed'],
        default: 'all',
        description: 'Which ones.',
      },
    }),
    run({ state = 'all' }, { host }) {
      const all = ['nginx', 'app', 'node-exporter', 'smartd'].map((name) => ({
        name,
        state: name === 'smartd' && host.hasSickDisk ? 'failed' : 'running',
      }))
      const services = state === 'all' ? all : all.filter((service) => service.state === state)
      const failed = all.filter((service) => service.state === 'failed').length
      return { data: { services }, summary: failed === 0 ? 'no service failed' : `${failed} service failed` }
    },
  },
  {
    name: 'os.open_files',
    version: '1.0.0',
    description: 'Processes with most open files.',
    input: parameters({ top_n: countField(5, 50, 'How many processes.') }),
    run({ top_n = 5 }, { random }) {
      const all = processNames.map((name) => ({ name, open_files: between(random, 12, 900), limit: 65_536 }))
      const { rows, truncated } = firstRows(
        all.sort((a, b) => b.open_files - a.open_files),
        top_n,
      )
      return { data: { processes: rows }, summary: `${rows[0]?.name} holds most files`, truncated }
    },
  },
  {
    name: 'os.time_sync',
    version: '1.0.0',
    description: 'How far the clock is off.',
    input: noParameters,
    run: (_params, { atMs, random }) => ({
      data: {
        source: 'ntp.example.com',
        offset_ms: measuredNumber(random, -2, 2, 3),
        checked_at: toolTimeText(atMs),
      },
      summary: 'in step with ntp.example.com',
    }),
  },
  {
    name: 'os.logins',
    version: '1.0.0',
    description: 'Who is logged in.',
    input: noParameters,
    run: (_params, { atMs }) => ({
      data: { sessions: [{ user: 'deploy', from: '10.0.0.5', since: toolTimeText(atMs - 3_600_000) }] },
      summary: '1 session',
    }),
  },
]
