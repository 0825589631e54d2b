import { between, measuredNumber, noParameters, parameters, type SandboxTool } from './tool.ts'

/** Tools that look at disks and file systems. */
export const diskTools: readonly SandboxTool[] = [
  {
    name: 'os.disk_usage',
    version: '1.3.0',
    description: 'Space and inodes of each file system.',
    input: parameters({ mount: { type: 'string', minLength: 1, description: 'Only this mount point.' } }),
    run({ mount }, { host, random }) {
      const all = [
        { mount: '/', device: '/dev/nvme0n1p2', used_percent: measuredNumber(random, 30, 55) },
        {
          mount: '/data',
          device: '/dev/sdb1',
          used_percent: host.hasSickDisk ? 97.4 : measuredNumber(random, 20, 60),
        },
      ].map((entry) => ({
        ...entry,
        total_bytes: 512_000_000_000,
        inodes_used_percent: measuredNumber(random, 2, 9),
      }))
      const filesystems = all.filter((entry) => mount === undefined || entry.mount === mount)
      if (filesystems.length === 0) return { code: 'invalid_args', message: `nothing is mounted at ${mount}` }
      const fullest = Math.max(...filesystems.map((entry) => entry.used_percent))
      return { data: { filesystems }, summary: `fullest file system at ${fullest}%` }
    },
  },
  {
    name: 'os.disk_io',
    version: '1.2.0',
    description: 'Rates and waiting times of each disk.',
    input: noParameters,
    run(_params, { host, random }) {
      const awaitMs = host.hasSickDisk ? 184.2 : measuredNumber(random, 0.3, 2.5)
      const disks = [
        {
          device: 'nvme0n1',
          reads_per_second: between(random, 5, 90),
          await_ms: measuredNumber(random, 0.2, 1.1),
        },
        { device: 'sdb', reads_per_second: between(random, 5, 40), await_ms: awaitMs },
      ]
      return { data: { disks }, summary: `sdb waits ${awaitMs} ms for a request` }
    },
  },
  {
    name: 'os.disk_health',
    version: '1.0.3',
    description: 'What the disks say about themselves (SMART).',
    input: noParameters,
    run(_params, { host }) {
      const sick = host.hasSickDisk === true
      const disks = [
        { device: 'nvme0n1', passed: true, reallocated_sectors: 0, read_errors: 0 },
        { device: 'sdb', passed: !sick, reallocated_sectors: sick ? 328 : 0, read_errors: sick ? 1712 : 0 },
      ]
      return { data: { disks }, summary: sick ? 'sdb is failing: replace it' : 'all disks pass' }
    },
  },
]
