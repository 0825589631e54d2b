import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { newFolder, opsbook, type Surroundings } from '../../cli/support/opsbook.ts'
import { type Serving, startServing } from '../../security/support/serve-in-process.ts'
import { logIn, type Person, personAt } from './open-console.ts'

/** `opsbook serve` with a console, and its system user in a browser. */
export interface ServedConsole extends Person {
  readonly folder: string
  readonly url: string
  readonly serving: Serving
  /** Changes a file of the folder. */
  write(file: string, text: string): Promise<void>
  /** Plans and starts a run, and waits until it has one of these states. Resolves with its id. */
  start(runbook: string, inputs: object, ...states: readonly string[]): Promise<string>
  /** The document of a command. */
  // biome-ignore lint/suspicious/noExplicitAny: each command has another.
  document(...words: readonly string[]): Promise<any>
  /** Another address that opens a session. */
  login(): Promise<string>
}

/** How `serve` is started. */
interface ServeOptions {
  /** @default --sandbox */
  readonly words?: readonly string[]
  /** More of `opsbook.yaml`. */
  readonly configured?: string
  /** A folder whose `opsbook.yaml` asks for a console, and the environment. @default a new folder */
  readonly project?: { readonly folder: string; readonly env: Readonly<Record<string, string>> }
}

/** The `console` of `opsbook.yaml`. */
export const consoleHere = 'console: { listen: "127.0.0.1:0" }\n'

/** What `opsbook console` prints: where the console is, and an address that opens a session. */
export async function addressOf(
  surroundings: Surroundings,
): Promise<{ readonly url: string; readonly login: string }> {
  const words = ['console', '--data-dir', 'data', '--output', 'json']
  const { stdout, stderr } = await opsbook(words, surroundings)
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

/** Starts `serve` in a folder with these runbooks, by name. */
export async function serveConsole(
  runbooks: Readonly<Record<string, string>>,
  { words = ['--sandbox'], configured = '', project }: ServeOptions = {},
): Promise<ServedConsole> {
  const folder = project?.folder ?? (await newFolder({ 'opsbook.yaml': consoleHere + configured }))
  const surroundings = { folder, ...(project === undefined ? {} : { env: project.env }) }
  await mkdir(join(folder, 'runbooks'), { recursive: true })
  const write = (file: string, text: string): Promise<void> => writeFile(join(folder, file), text)
  for (const [name, text] of Object.entries(runbooks)) await write(`runbooks/${name}.yaml`, text)
  const serving = await startServing(['--data-dir', 'data', ...words], surroundings)
  const document: ServedConsole['document'] = async (...given) => {
    const { stdout, stderr } = await opsbook(
      [...given, '--data-dir', 'data', '--output', 'json'],
      surroundings,
    )
    if (stdout === '') throw new Error(stderr)
    return JSON.parse(stdout)
  }
  const { url, login } = await addressOf(surroundings)
  const cookie = await logIn(url, new URL(login).searchParams.get('code') ?? '')
  const person = personAt(url, cookie)
  return {
    async start(runbook, inputs, ...states) {
      const [, { shown }] = await person.act(`/api/v1/runbooks/${runbook}/plan`, { inputs })
      const [, { run_id: runId }] = await person.act('/api/v1/runs', { runbook, shown, inputs })
      await expect
        .poll(async () => (await person.json(`/api/v1/runs/${runId}`)).status)
        .toBeOneOf([...states])
      return runId
    },
    folder,
    url,
    serving,
    write,
    document,
    login: async () => (await addressOf(surroundings)).login,
    ...person,
  }
}
