import { countField, firstRows, parameters, type SandboxTool, toolTimeText } from './tool.ts'

/** Tools that read log files. */
export const logTools: readonly SandboxTool[] = [
  {
    name: 'log.kernel',
    version: '1.0.0',
    description: 'The last messages of the kernel.',
    input: parameters({ lines: countField(10, 1000, 'How many lines.') }),
    run({ lines = 10 }, { host, atMs }) {
      const message = host.hasSickDisk
        ? 'I/O error, dev sdb, sector 71303168 op 0x0:(READ)'
        : 'eth0: link is up at 10 Gbps'
      const all = Array.from(
        { length: 24 },
        (_, index) => `${toolTimeText(atMs - index * 60_000)} ${message}`,
      )
      const { rows, truncated } = firstRows(all, lines)
      return { data: { lines: rows }, summary: message, truncated }
    },
  },
]
