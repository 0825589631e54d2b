import { type Console, type ConsoleOptions, createConsole, type Login } from '../../console/server/index.ts'
import type { ConsoleStore } from '../../console/store/index.ts'
import type { Engine } from '../../engine/index.ts'
import { systemIdentity } from '../../engine/record/index.ts'
import { CommandError } from '../shared/command-error.ts'
import type { ConsoleDocument } from '../shared/configuration/console-schema.ts'
import type { CommandContext } from '../shared/context.ts'
import { exitCodes } from '../shared/exit-codes.ts'
import type { EngineFlags } from '../shared/options.ts'
import { cannotListen, isLoopback, type ListenAddress, listenUrl } from '../shared/read-listen.ts'
import { createActs, type ResumeRun } from './acts/index.ts'
import type { OneTimeAddress } from './code-socket.ts'
import { problemOf } from './problem-of.ts'
import { createReads } from './reads.ts'

/** What a console listens with. */
export interface ListenOptions {
  readonly context: CommandContext
  readonly engine: Engine
  /** The flags that find the engine again. */
  readonly flags: EngineFlags
  readonly address: ListenAddress
  /** Names the address in errors. */
  readonly flag: string
  /** Where acts are recorded, and where tokens are. Left out: the console only reads. */
  readonly store?: ConsoleStore
  /** Resumes a run where runs are executed. Left out: this console resumes none. */
  readonly resume?: ResumeRun
  /** How people log in, besides codes. */
  readonly auth?: ConsoleOptions['auth']
  /** The address that people use, where a proxy with TLS is in front. */
  readonly publicUrl?: string
  readonly onDefect: (error: unknown) => void
}

/** A console that listens. */
export interface ListeningConsole {
  readonly url: string
  /** An address that opens one session of the system user, within 60 seconds. */
  issue(): OneTimeAddress
  close(): Promise<void>
}

/** Refuses an address that other machines can reach, unless people log in there behind TLS. */
export function refuseReachable({ host }: ListenAddress, wanted?: ConsoleDocument): void {
  if (isLoopback(host) || (wanted?.auth !== undefined && wanted['public-url'] !== undefined)) return
  throw new CommandError(exitCodes.usage, `a console at ${host} could be reached by other machines`, {
    hints: [
      'listen on 127.0.0.1, and reach it from elsewhere through ssh -L',
      'or let people log in, behind a proxy with TLS: "console.auth" and "console.public-url"',
    ],
  })
}

/** Opens the console of an engine. */
export async function listenConsole(options: ListenOptions): Promise<ListeningConsole> {
  const { context, engine, flags, address, flag, store, resume, auth, publicUrl, onDefect } = options
  const kept =
    store === undefined ? {} : { audit: store.audit, tokens: store.tokens, sessions: store.sessions }
  const { app, issueCode } = createConsole({
    reads: createReads({ context, engine, flags, ...kept }),
    problemOf,
    about: { version: context.version, engine: engine.kind, location: engine.location },
    ...kept,
    ...(store === undefined
      ? {}
      : { acts: createActs({ context, engine, flags, ...(resume === undefined ? {} : { resume }) }) }),
    ...(auth === undefined ? {} : { auth }),
    ...(publicUrl === undefined ? {} : { publicUrl: new URL(publicUrl) }),
    onDefect,
    ...(engine.kind === 'temporal' ? { pulseMs: 10_000 } : {}),
  })
  await listen(app, address, flag)
  const [bound] = app.addresses()
  const url = listenUrl({ ...address, port: typeof bound === 'object' ? bound.port : address.port })
  const people = publicUrl === undefined ? url : new URL(publicUrl).origin
  const isAny = ['0.0.0.0', '::'].includes(address.host)
  // Someone at this machine needs no proxy, where the listener can be reached without one.
  const ofHere = isAny ? url.replace(/\/\/[^/]*:/, '//127.0.0.1:') : isLoopback(address.host) ? url : people
  const here: Login = {
    by: { ...systemIdentity(), source: 'console', verified: true },
    roles: store === undefined ? ['viewer'] : ['admin', 'operator', 'approver', 'viewer'],
  }
  return {
    url: people,
    issue: () => ({ url: ofHere, login: `${ofHere}/login?code=${issueCode(here)}` }),
    close: () => app.close(),
  }
}

async function listen(app: Console['app'], address: ListenAddress, flag: string): Promise<void> {
  try {
    await app.listen(address)
  } catch (cause) {
    throw cannotListen(flag, address, cause as NodeJS.ErrnoException)
  }
}
