import { Readable } from 'node:stream'
import { expect, onTestFinished } from 'vitest'
import type { Io } from '../../../src/cli/shared/io.ts'
import { createPaint } from '../../../src/cli/shared/terminal/paint.ts'
import {
  type Console,
  type ConsoleOptions,
  type ConsoleReads,
  createActs,
  createConsole,
  createReads,
} from '../../../src/console/server/index.ts'
import { openConsoleStore } from '../../../src/console/store/index.ts'
import { openEmbeddedEngine } from '../../../src/engine/embedded/index.ts'
import type { Engine } from '../../../src/engine/index.ts'
import { type RawAnswer, sendRaw } from '../../security/support/send-raw.ts'

/** A console that listens, and a person who has logged in. */
export interface OpenConsole extends Console, Person {
  readonly url: string
  /** The header that names the session. */
  readonly cookie: string
  /** Where its runs are. */
  readonly about: string
  /** What the console has told the operator. */
  readonly defects: readonly unknown[]
}

/** A person who has logged in to a console. */
export interface Person {
  /** An answer of the session. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<RawAnswer>
  // biome-ignore lint/suspicious/noExplicitAny: each address has another.
  json(path: string): Promise<any>
  /** Sends JSON as a page of the console does. */
  post(path: string, document: object, headers?: Readonly<Record<string, string>>): Promise<RawAnswer>
  /** The same, with its status and its document. */
  // biome-ignore lint/suspicious/noExplicitAny: each act has another.
  act(path: string, document: object): Promise<readonly [status: number, document: any]>
  /** Sends a form as a browser does, with the field of the session. */
  send(path: string, fields: Readonly<Record<string, string | readonly string[]>>): Promise<RawAnswer>
}

interface Surroundings {
  /** With more than `viewer`, the console can act. */
  readonly roles?: readonly Role[]
  /** In place of the checks of this machine. */
  readonly system?: ConsoleReads['system']
  /** What acts go through in place of the engine. */
  readonly through?: (engine: Engine) => Engine
  /** The working directory. @default the data directory */
  readonly folder?: string
}

type Role = 'viewer' | 'operator' | 'approver' | 'admin'

/** Opens a console of a data directory, on a free port. */
export async function openConsole(
  dataDir: string,
  {
    roles = ['viewer'],
    folder = dataDir,
    system,
    through = (engine) => engine,
    ...more
  }: Partial<ConsoleOptions> & Surroundings = {},
): Promise<OpenConsole> {
  const engine = openEmbeddedEngine(dataDir)
  const silent = { write: () => {} }
  const io: Io = {
    stdin: Readable.from([]),
    stdout: silent,
    stderr: silent,
    env: { HOME: folder },
    workingDirectory: folder,
    onStopSignal: () => () => {},
    onExit: () => () => {},
    exit() {},
  }
  const paint = await createPaint(io.stdout, io, false)
  const context = { io, version: '0.0.0-test', paint, errorPaint: paint, isVerbose: false }
  const defects: unknown[] = []
  const store = roles.some((role) => role !== 'viewer') ? openConsoleStore(dataDir) : undefined
  const kept =
    store === undefined
      ? {}
      : { audit: store.audit, tokens: store.tokens, sessions: store.sessions, formKey: store.formKey }
  const project = { ...context, engine, flags: { dataDir } }
  const made = createConsole({
    reads: {
      ...createReads(project, store?.audit),
      ...(system === undefined ? {} : { system }),
    },
    about: { version: context.version, engine: engine.kind, location: engine.location },
    ...kept,
    ...(store === undefined ? {} : { acts: createActs({ ...project, engine: through(engine) }) }),
    onDefect: (error) => defects.push(error),
    ...more,
  })
  onTestFinished(async () => {
    await made.app.close()
    await engine.close()
    store?.close()
  })
  const url = await made.app.listen({ host: '127.0.0.1', port: 0 })
  const code = made.issueCode({ by: { name: 'ada', source: 'console', verified: true }, roles })
  const cookie = await logIn(url, code)
  return { ...made, url, cookie, about: engine.location, defects, ...personAt(url, cookie) }
}

/** What the person of a session sends to a console. */
export function personAt(url: string, cookie: string): Person {
  const get: Person['get'] = (path, headers = {}) => sendRaw(url + path, { cookie, ...headers })
  const post: Person['post'] = (path, document, headers = {}) => {
    const own = { cookie, origin: url, 'content-type': 'application/json', 'opsbook-console': '1' }
    return sendRaw(url + path, { ...own, ...headers }, { method: 'POST', body: JSON.stringify(document) })
  }
  return {
    get,
    post,
    async act(path, document) {
      const { status, text } = await post(path, document)
      return [status, JSON.parse(text)]
    },
    async send(path, fields) {
      const [, csrf = ''] = /"csrf":"([^"]+)"/.exec((await get('/runs')).text) ?? []
      const body = new URLSearchParams({ csrf })
      for (const [name, values] of Object.entries(fields))
        for (const value of [values].flat()) body.append(name, String(value))
      const headers = {
        cookie,
        origin: url,
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
      }
      return sendRaw(url + path, headers, { method: 'POST', body: body.toString() })
    },
    json: async (path) => JSON.parse((await get(path)).text),
  }
}

/** What an act is refused with. */
export type Refusal = readonly [path: string, document: object, status: number, says: string]

/** Each of these acts is refused, with a problem that says why. */
export async function expectRefused({ post }: Person, refusals: readonly Refusal[]): Promise<void> {
  for (const refusal of refusals) {
    const [path, document] = refusal
    const { status, text } = await post(path, document)
    expect([path, document, status, text]).toEqual([
      ...refusal.slice(0, 3),
      expect.stringContaining(refusal[3]),
    ])
  }
}

/** Uses up a code, and returns the cookie. */
export async function logIn(url: string, code: string): Promise<string> {
  const headers = { origin: url, 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await sendRaw(`${url}/login`, headers, { method: 'POST', body: `code=${code}` })
  const [cookie = ''] = answer.headers['set-cookie'] ?? []
  return cookie.split(';')[0] ?? ''
}

/** The addresses of a console, with something in the place of each parameter. */
export function addressesOf({ routes }: Pick<Console, 'routes'>): readonly {
  readonly method: string
  readonly path: string
  readonly access: string
}[] {
  return routes.map(({ method, path, access }) => ({
    method,
    path: path.replace('*', 'x').replaceAll(/:\w+/g, 'latest'),
    access,
  }))
}
