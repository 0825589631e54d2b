import type { FastifyInstance } from 'fastify'

/** What is told to those who watch over `serve`. */
export interface HealthRoutesOptions {
  /** Why no event can be taken now. Undefined: one can. */
  readonly whyNotReady: () => Promise<string | undefined>
  /** In the text of Prometheus. */
  readonly metrics: () => string
}

const text = 'text/plain; version=0.0.4; charset=utf-8'

/** An answer counts for this long: each one costs a write, and anybody who reaches the port can ask. */
const answerMs = 1000

/** `/healthz` (the process lives), `/readyz` (it can take an event) and `/metrics`. */
export function addHealthRoutes(app: FastifyInstance, { whyNotReady, metrics }: HealthRoutesOptions): void {
  let last: { readonly atMs: number; readonly reason: Promise<string | undefined> } | undefined
  const reasonNow = (): Promise<string | undefined> => {
    const atMs = performance.now()
    if (!last || atMs - last.atMs >= answerMs) last = { atMs, reason: whyNotReady() }
    return last.reason
  }
  app.get('/healthz', (_, reply) => reply.type(text).send('ok\n'))
  app.get('/readyz', async (_, reply) => {
    const reason = await reasonNow()
    return reply
      .type(text)
      .code(reason === undefined ? 200 : 503)
      .send(reason === undefined ? 'ready\n' : `not ready: ${reason}\n`)
  })
  app.get('/metrics', (_, reply) => reply.type(text).send(metrics()))
}
