import type { FastifyReply, FastifyRequest } from 'fastify'
import { findSession } from '../guard.ts'
import { ConsoleError } from '../problem.ts'
import type { Session } from '../sessions.ts'
import type { Folds } from './folds.ts'
import { frameText } from './frames.ts'
import type { Pulse } from './pulse.ts'

/** What the streams are made from. */
export interface StreamSources {
  readonly folds: Folds
  /** Changes of what the first page and the inbox show. */
  readonly pulses: { readonly inbox: Pulse; readonly now: Pulse }
}

const mostStreams = 200
const mostTopics = 10
/** Keeps proxies from closing the connection, and tells the page that its stream is alive. */
const beatMs = 5000
/** A viewer that takes nothing for this many beats is disconnected. */
const mostMissedBeats = 6

/** The streams that are open now. */
export interface OpenStreams {
  count: number
}

/** Sends what changes of the wanted topics, until the viewer goes or its session ends. */
export async function serveStream(
  streams: OpenStreams,
  { folds, pulses }: StreamSources,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<undefined> {
  const { topics = '' } = request.query as { readonly topics?: string }
  const { runs, others } = readTopics(topics)
  if (streams.count >= mostStreams)
    throw new ConsoleError({ status: 503, code: 'TooManyStreams', detail: 'too many pages are open' })
  // Closed by the viewer at any time, also while the runs are read.
  const { raw } = reply
  const ends: (() => void)[] = [() => streams.count--]
  let isClosed = false
  streams.count++
  raw.once('close', () => {
    isClosed = true
    for (const end of ends) end()
  })
  const opened = await Promise.all(runs.map((id) => folds.open(id)))
  beginStream(reply)
  if (isClosed) return
  const isReady = (): boolean => raw.writableLength === 0
  const send = (text: string): void => void raw.write(text)
  const end = (): void => void raw.end()
  for (const fold of opened)
    ends.push(fold.watch({ seq: undefined, isReady, send: (frames) => send(frames.join('')), end }))
  for (const name of others) {
    // Sent at the beginning, too: what has changed since the page was rendered is not known.
    const sendChange = (): void => send(frameText(name, { at: new Date().toISOString() }))
    ends.push(pulses[name].listen(sendChange))
  }
  ends.push(keepAlive(reply, findSession(request)))
}

type OtherTopic = keyof StreamSources['pulses']

/** The ids of runs, and the other topics. */
function readTopics(topics: string): {
  readonly runs: readonly string[]
  readonly others: readonly OtherTopic[]
} {
  const names = [...new Set(topics.split(','))]
  const runs = names.flatMap((name) => (name.startsWith('run:') ? [name.slice(4)] : []))
  const others = names.filter((name) => name === 'inbox' || name === 'now')
  if (runs.length + others.length < names.length || names.length > mostTopics)
    throw new ConsoleError({
      status: 400,
      code: 'InvalidUsage',
      detail: 'topics are run:ID, inbox and now, with commas between them, at most ten',
    })
  return { runs, others }
}

/** Sends a beat while the session is open and the viewer takes what it is sent. Returns what ends this. */
function keepAlive({ raw }: FastifyReply, session: Session | undefined): () => void {
  let missed = 0
  const timer = setInterval(() => {
    missed = raw.writableLength === 0 ? 0 : missed + 1
    if (!isOpen(session)) raw.end()
    else if (missed === 0) raw.write(frameText('beat', {}))
    // No queue is kept for a viewer that takes nothing.
    else if (missed >= mostMissedBeats) raw.destroy()
  }, beatMs)
  return () => clearInterval(timer)
}

/** A session that cannot be looked up has ended for its streams: the page asks again, and is told why. */
function isOpen(session: Session | undefined): boolean {
  try {
    return session?.isOpen() === true
  } catch {
    return false
  }
}

/** Begins an answer that has no end. */
function beginStream(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  })
  reply.raw.flushHeaders()
}
