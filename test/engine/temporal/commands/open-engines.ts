import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@temporalio/client'
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest'
import { connectClient } from '../../../../src/engine/temporal/connection.ts'
import {
  type CommandResult,
  opsbook,
  type RunningCommand,
  type Surroundings,
} from '../../../cli/support/opsbook.ts'
import { retryStart } from '../../../support/retry-start.ts'

/** A project of its own, whose commands run on either engine, and a worker for it. */
export interface Engines {
  readonly folder: string
  readonly taskQueue: string
  readonly env: Readonly<Record<string, string>>
  /** A command on the Temporal engine. */
  temporal(words: readonly string[], more?: Surroundings): Promise<CommandResult>
  /** The same on the embedded engine, with a sandbox for commands that run steps. */
  embedded(words: readonly string[], more?: Surroundings): Promise<CommandResult>
  /** One client of the server for all callers. It is closed with the project. */
  client(): Promise<Client>
  close(): Promise<void>
}

let projects = 0

/** How a project is opened. */
export interface ProjectOptions {
  /** @default true */
  readonly hasWorker?: boolean
  /** More of `opsbook.yaml`. */
  readonly more?: string
  /** Of a server of its own. @default that of all tests */
  readonly address?: string
}

/** A project for all tests of a file, filled before the first of them. */
export function enginesOfFile(files: Readonly<Record<string, string>>, options?: ProjectOptions): Engines {
  const engines = {} as Engines
  beforeAll(async () => {
    Object.assign(engines, await openEngines(files, options))
  })
  afterAll(() => engines.close())
  return engines
}

/** A project that is closed with its test. */
export async function enginesOfTest(
  files: Readonly<Record<string, string>>,
  options?: ProjectOptions,
): Promise<Engines> {
  const engines = await openEngines(files, options)
  onTestFinished(() => engines.close())
  return engines
}

/** Opens a project with these files on a task queue of its own. */
export async function openEngines(
  files: Readonly<Record<string, string>>,
  { hasWorker = true, more = '', address = inject('temporalAddress') }: ProjectOptions = {},
): Promise<Engines> {
  const folder = await mkdtemp(join(tmpdir(), 'opsbook-engines-'))
  const queue = `commands-${process.pid}-${++projects}`
  const configuration = `temporal: { task-queue: ${queue} }\ndata-dir: data\n${more}`
  for (const [name, text] of Object.entries({ 'opsbook.yaml': configuration, ...files }))
    await writeFile(join(folder, name), text)
  const env = { TEMPORAL_ADDRESS: address }
  const on =
    (engine: string) =>
    (words: readonly string[], more: Surroundings = {}): Promise<CommandResult> =>
      opsbook(words, { folder, ...more, env: { ...env, OPSBOOK_ENGINE: engine, ...more.env } })
  let connected: Promise<Client> | undefined
  const worker = hasWorker ? await retryStart(() => startWorker(folder, env)) : undefined
  return {
    folder,
    taskQueue: queue,
    env,
    temporal: on('temporal'),
    embedded: (words, more) =>
      on('embedded')(words[0] === 'run' ? [...words, '--sandbox', '--allow-outside'] : words, more),
    client() {
      connected ??= connectClient({ address, namespace: 'default', taskQueue: queue })
      return connected
    },
    async close() {
      await worker?.()
      await (await connected)?.connection.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Runs `one.yaml` to its end. Resolves with its id: the latest run of the server can be one of another test. */
export async function runOnce(run: Engines['temporal']): Promise<string> {
  const { code, stdout, stderr } = await run(['run', 'one.yaml', '-q', '-o', 'json'])
  const [id] = /run_[0-9]{8}_[0-9]{6}_[0-9a-z]+/.exec(stdout) ?? []
  if (code !== 0 || id === undefined) throw new Error(`${stdout}\n${stderr}`)
  return id
}

/** Runs `opsbook worker` in this process. Answers, once it is ready, with what stops it. */
function startWorker(folder: string, env: Readonly<Record<string, string>>): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    const ended = opsbook(['worker', '--sandbox', '--allow-outside'], {
      folder,
      env,
      onWrite(text, command: RunningCommand) {
        if (!text.startsWith('worker ready')) return
        resolve(async () => {
          command.signal('SIGTERM')
          const { code, stderr } = await ended
          if (code !== 0) throw new Error(stderr)
        })
      },
    })
    ended.then(({ stderr }) => reject(new Error(stderr)), reject)
  })
}
