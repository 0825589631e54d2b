import {
  between,
  countField,
  firstRows,
  type Params,
  parameters,
  type SandboxTool,
  type Scene,
  toolTimeText,
} from './tool.ts'

const pathParameter = { type: 'string', pattern: '^/', description: 'Absolute path of the file.' }

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
  {
    name: 'log.tail',
    version: '1.0.0',
    description: 'The last lines of a file.',
    input: parameters({ path: pathParameter, lines: countField(20, 1000, 'How many lines.') }, ['path']),
    run({ lines = 20 }, scene) {
      const { rows, truncated } = firstRows(fileLines(scene), lines)
      return { data: { lines: rows }, summary: `${rows.length} lines`, truncated }
    },
  },
  {
    name: 'log.search',
    version: '1.0.0',
    description: 'Lines of a file that hold a text.',
    input: parameters(
      {
        path: pathParameter,
        text: { type: 'string', minLength: 1, description: 'What to look for.' },
        max_matches: countField(20, 1000, 'Matches at most.'),
      },
      ['path', 'text'],
    ),
    run({ text, max_matches = 20 }, scene) {
      const matches = fileLines(scene).filter((line) => line.includes(String(text)))
      const { rows, truncated } = firstRows(matches, max_matches)
      return { data: { matches: rows }, summary: `${rows.length} matches`, truncated }
    },
  },
  {
    name: 'log.errors',
    version: '1.0.0',
    description: 'Errors of the last hour by message.',
    input: parameters({ path: pathParameter }, ['path']),
    run(_params: Params, { random }) {
      const errors = [
        { message: 'upstream timed out', count: between(random, 3, 60) },
        { message: 'connection reset by peer', count: between(random, 0, 9) },
      ]
      return { data: { errors }, summary: `${errors[0]?.count} times: upstream timed out` }
    },
  },
]

function fileLines({ host, atMs, random }: Scene): readonly string[] {
  return Array.from({ length: 60 }, (_, index) => {
    const level = random() < 0.15 ? 'error' : 'info'
    const message = level === 'error' ? 'upstream timed out' : `GET /checkout ${between(random, 5, 300)} ms`
    return `${toolTimeText(atMs - index * 1000)} ${host.locator} ${level} ${message}`
  })
}
