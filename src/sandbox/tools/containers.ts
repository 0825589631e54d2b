import { between, measuredNumber, parameters, type SandboxTool } from './tool.ts'

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
]
