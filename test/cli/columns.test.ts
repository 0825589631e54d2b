import { expect, test } from 'vitest'
import { createOutput } from '../../src/cli/shared/io.ts'

const target = (columns?: number): Parameters<typeof createOutput>[0] =>
  ({ fd: 1, columns, on() {}, write() {} }) as never

test.each([
  { env: { COLUMNS: '60' }, terminal: undefined, columns: 60 },
  { env: { COLUMNS: '60' }, terminal: 120, columns: 120 },
  { env: { COLUMNS: 'wide' }, terminal: undefined, columns: undefined },
  { env: {}, terminal: undefined, columns: undefined },
])('COLUMNS counts where the output is no terminal: $env, $terminal', ({ env, terminal, columns }) => {
  expect(createOutput(target(terminal), () => {}, env).stream.columns).toBe(columns)
})
