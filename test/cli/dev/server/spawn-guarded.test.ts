import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { spawnGuarded } from '../../../../src/cli/dev/server/spawn-guarded.ts'

const isAlive = (processId: number): boolean => {
  try {
    return process.kill(processId, 0)
  } catch {
    return false
  }
}

it('ends a program with the process that started it, which is killed', async () => {
  const script = fileURLToPath(new URL('./spawn-and-hang.ts', import.meta.url))
  const parent = spawn(process.execPath, ['--import', 'tsx', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface(parent.stdout), 'line')
  const processId = Number(line)
  expect(isAlive(processId)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => isAlive(processId)).toBe(false)
})

it('stops a program, twice as well', async () => {
  const program = await spawnGuarded('sleep', ['600'])
  await program.stop()
  expect(await program.ended).toEqual({ exitCode: undefined, output: '' })
  expect(isAlive(program.processId)).toBe(false)
  await program.stop()
})

it('has what a program wrote, and how it ended; its files are for the user alone', async () => {
  const { ended } = await spawnGuarded('sh', ['-c', 'umask; echo "out of luck" >&2; exit 7'])
  const { exitCode, output } = await ended
  expect(exitCode).toBe(7)
  expect(output.split('\n').toSorted()).toEqual(['0077', 'out of luck'])
})
