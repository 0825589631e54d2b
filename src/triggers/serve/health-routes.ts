import type { FastifyInstance } from 'fastify'

/** What is told to those who watch over `serve`. */
export interface HealthRoutesOptions {
  /** Why no event can be taken now. Undefined: one can. */
  readonly whyNotReady: () => Promise<string | undefined>
  /** In the text of Prometheus. */
  readonly metrics: () => string
}

const text = 'text/plain; version=0.0.4; charset=utf-8'

/** `/healthz` (the process lives), `/readyz` (it can take an event) and `/metrics`. */
export function addHealthRoutes(app: FastifyInstance, { whyNotReady, metrics }: HealthRoutesOptions): void {
  // An answer costs a write, and every client that reaches the port can ask: there is one write at a time.
  let running: Promise<string | undefined> | undefined
  const reasonNow = (): Promise<string | undefined> => {
    running ??= whyNotReady().finally(() => {
      running = undefined
    })
    return running
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
