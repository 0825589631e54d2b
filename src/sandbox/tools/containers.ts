import {
  between,
  countField,
  firstRows,
  measuredNumber,
  parameters,
  type SandboxTool,
  toolTimeText,
} from './tool.ts'

/** Tools that look at containers. */
export const containerTools: readonly SandboxTool[] = [
  {
    name: 'docker.containers',
    version: '1.0.0',
    description: 'Containers with state and use.',
    input: parameters({ all: { type: 'boolean', default: false, description: 'Stopped ones too.' } }),
    run({ all = false }, { random }) {
      const containers = ['checkout', 'catalog', 'migrate']
        .map((name) => ({
          name,
          state: name === 'migrate' ? 'exited' : 'running',
          restarts: name === 'checkout' ? between(random, 0, 3) : 0,
          cpu_percent: name === 'migrate' ? 0 : measuredNumber(random, 1, 40),
        }))
        .filter((container) => all === true || container.state === 'running')
      return { data: { containers }, summary: `${containers.length} containers` }
    },
  },
  {
    name: 'docker.logs',
    version: '1.0.0',
    description: 'The last lines that a container wrote.',
    input: parameters(
      {
        container: { type: 'string', minLength: 1, description: 'Name of the container.' },
        lines: countField(10, 1000, 'How many lines.'),
      },
      ['container'],
    ),
    run({ container, lines = 10 }, { atMs, random }) {
      if (!['checkout', 'catalog', 'migrate'].includes(String(container))) {
        return { code: 'invalid_args', message: `there is no container ${container}` }
      }
      const all = Array.from({ length: 40 }, (_, index) => {
        const at = toolTimeText(atMs - index * 1000)
        return `${at} ${container} request ${between(random, 1000, 9999)} took ${between(random, 2, 400)} ms`
      })
      const { rows, truncated } = firstRows(all, lines)
      return { data: { lines: rows }, summary: `${rows.length} lines of ${container}`, truncated }
    },
  },
]
