import {
  type Console,
  type ConsoleOptions,
  createActs,
  createConsole,
  createReads,
  type Login,
  type ServedActs,
} from '../../console/server/index.ts'
import type { ConsoleStore } from '../../console/store/index.ts'
import type { Engine } from '../../engine/index.ts'
import { systemIdentity } from '../../engine/record/index.ts'
import { CommandError, type EngineFlags } from '../../project/index.ts'
import type { CommandContext } from '../shared/context.ts'
import { cannotListen, isLoopback, listenUrl } from '../shared/read-listen.ts'
import type { OneTimeAddress } from './code-socket.ts'
import type { ConsoleAddress } from './console-address.ts'
import { clearSocket, listenOnSocket } from './listen-on-socket.ts'

/** What a console listens with. */
export interface ListenOptions {
  readonly context: CommandContext
  readonly engine: Engine
  /** The flags that find the engine again. */
  readonly flags: EngineFlags
  readonly address: ConsoleAddress
  /** Names the address in errors. */
  readonly flag: string
  /** Where acts are recorded, and where tokens are. Left out: the console only reads. */
  readonly store?: ConsoleStore
  /** Left out: this console resumes no run, and takes no event. */
  readonly served?: ServedActs
  /** How people log in, besides codes. */
  readonly auth?: ConsoleOptions['auth']
  /** The address that people use, where a proxy with TLS is in front. */
  readonly publicUrl?: string
  readonly onDefect: (error: unknown) => void
}

/** A console that listens. */
export interface ListeningConsole {
  readonly url: string
  /** Who lets people in, for people. */
  readonly wayIn: string
  /** An address that opens one session of the system user, within 60 seconds. */
  issue(): OneTimeAddress
  close(): Promise<void>
}

/** Opens the console of an engine. */
export async function listenConsole(options: ListenOptions): Promise<ListeningConsole> {
  const { context, engine, flags, address, flag, store, served, auth, publicUrl, onDefect } = options
  const kept =
    store === undefined
      ? {}
      : { audit: store.audit, tokens: store.tokens, sessions: store.sessions, formKey: store.formKey }
  // The warnings of a request have no place on the terminal of the listener.
  const project = { ...context, io: { ...context.io, stderr: { write() {} } }, engine, flags }
  const { app, issueCode } = createConsole({
    reads: createReads(project, store?.audit),
    about: { version: context.version, engine: engine.kind, location: engine.location },
    ...kept,
    ...(store === undefined ? {} : { acts: createActs(project, served) }),
    ...(auth === undefined ? {} : { auth }),
    ...(publicUrl === undefined ? {} : { publicUrl: new URL(publicUrl) }),
    onDefect,
    ...(engine.kind === 'temporal' ? { pulseMs: 10_000 } : {}),
  })
  await listen(app, address, flag)
  const ofHere = addressHere(app, address)
  const url = publicUrl === undefined ? listenedUrl(app, address) : new URL(publicUrl).origin
  // Whom the proxy names at the public address, it names in place of the session.
  const entrance = ofHere ?? (auth?.type === 'proxy' ? undefined : url)
  const here: Login = {
    by: { ...systemIdentity(), source: 'console', verified: true },
    roles: store === undefined ? ['viewer'] : ['admin', 'operator', 'approver', 'viewer'],
  }
  return {
    url,
    wayIn: wayInOf(auth),
    issue: () =>
      entrance === undefined
        ? { url }
        : { url: entrance, login: `${entrance}/login?code=${issueCode(here)}` },
    close: () => app.close(),
  }
}

function wayInOf(auth: ConsoleOptions['auth']): string {
  if (auth === undefined) return '"opsbook console" lets people in'
  return auth.type === 'proxy' ? 'its proxy logs people in' : `${auth.issuer.host} logs people in`
}

/** The address of the listener for this machine. Undefined: none without the proxy. */
function addressHere(app: Console['app'], address: ConsoleAddress): string | undefined {
  if ('socket' in address) return undefined
  const url = listenedUrl(app, address)
  if (['0.0.0.0', '::'].includes(address.host)) return url.replace(/\/\/[^/]*:/, '//127.0.0.1:')
  return isLoopback(address.host) ? url : undefined
}

function listenedUrl(app: Console['app'], address: ConsoleAddress): string {
  if ('socket' in address) throw new Error('a console on a socket has a public address')
  const [bound] = app.addresses()
  return listenUrl({ ...address, port: typeof bound === 'object' ? bound.port : address.port })
}

async function listen(app: Console['app'], address: ConsoleAddress, flag: string): Promise<void> {
  if ('socket' in address) {
    const { socket, mode } = address
    await clearSocket(socket, flag)
    await app.ready()
    return listenOnSocket(socket, mode, () =>
      app.listen({ path: socket }).catch((cause: NodeJS.ErrnoException) => {
        throw new CommandError('environment', `${flag}: ${socket} cannot be used: ${cause.message}`, {
          hints: ['its folder must be there, and the system user of serve must be able to write to it'],
          cause,
        })
      }),
    )
  }
  try {
    await app.listen(address)
  } catch (cause) {
    throw cannotListen(flag, address, cause as NodeJS.ErrnoException)
  }
}
