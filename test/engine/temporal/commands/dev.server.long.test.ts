import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Connection } from '@temporalio/client'
import { expect, inject, onTestFinished, test } from 'vitest'
import { isLocked } from '../../../../src/engine/file-lock/index.ts'
import { type CommandResult, newFolder, opsbook, type RunningCommand } from '../../../cli/support/opsbook.ts'

/** Where the program of the server is found, as for the server of the other tests. */
const env = {
  PATH: process.env['PATH'] ?? '',
  XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
}

/** `opsbook dev` in a folder, once all of it has started. */
async function startDev(folder: string): Promise<{ stop(): Promise<CommandResult> }> {
  let command: RunningCommand | undefined
  let ended: Promise<CommandResult> | undefined
  await new Promise<void>((resolve, reject) => {
    ended = opsbook(['dev', '--data-dir', 'data'], {
      folder,
      env,
      onStart: (running) => {
        command = running
      },
      onWrite: (text) => {
        if (text.includes('export TEMPORAL_ADDRESS=')) resolve()
      },
    })
    ended.then(({ stderr }) => reject(new Error(stderr)), reject)
  })
  return {
    async stop() {
      command?.signal('SIGTERM')
      return (await ended) as CommandResult
    },
  }
}

test('one dev works in a data directory, and its files are for the user alone', async () => {
  const folder = await newFolder()
  const data = join(folder, 'data')
  const first = await startDev(folder)
  onTestFinished(async () => void (await first.stop()))
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
  const databases = readdirSync(data).filter((name) => name.startsWith('temporal.db'))
  expect(databases.map((name) => [name, modeOf(join(data, name))])).toEqual(
    databases.map((name) => [name, '600']),
  )
  expect(databases).toContain('temporal.db')
  expect(modeOf(data)).toBe('700')

  const { ino } = statSync(join(data, 'temporal.db'))
  for (const flags of [[], ['--fresh']]) {
    const { code, stdout, stderr } = await opsbook(['dev', '--data-dir', 'data', ...flags], {
      folder,
      env,
      // Where it does start.
      onWrite: (text, command) => void (text.includes('TEMPORAL_ADDRESS=') && command.signal('SIGTERM')),
    })
    expect(stderr).toContain(`RunInUse: another "opsbook dev" uses ${data}`)
    expect(stderr).toContain('name another folder with --data-dir')
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' })
  }
  expect(statSync(join(data, 'temporal.db')).ino).toBe(ino)

  expect((await first.stop()).code).toBe(0)
  expect(isLocked(join(data, 'dev.lock'))).toBe(false)
}, 120_000)

test('a TEMPORAL_ADDRESS that is left over from before is named, with the way out', async () => {
  const folder = await newFolder()
  mkdirSync(join(folder, 'data'))
  const { code, stderr } = await opsbook(['dev', '--data-dir', 'data'], {
    folder,
    env: { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' },
  })
  expect(stderr).toContain('no Temporal server answers at 127.0.0.1:1')
  expect(stderr).toContain('unset TEMPORAL_ADDRESS')
  expect(code).toBe(5)
})

test('a server that TEMPORAL_ADDRESS names is used, and keeps running', async () => {
  const address = inject('temporalAddress')
  const { code, stdout, stderr } = await opsbook(['dev', '--data-dir', 'data'], {
    folder: await newFolder(),
    env: { TEMPORAL_ADDRESS: address, OPSBOOK_TASK_QUEUE: `dev-${process.pid}` },
    onWrite: (text, command) => void (text.includes('TEMPORAL_ADDRESS=') && command.signal('SIGTERM')),
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('web UI') })
  expect(stdout).toContain(`export TEMPORAL_ADDRESS=${address}\n`)
  const connection = await Connection.connect({ address })
  await connection.close()
}, 60_000)
