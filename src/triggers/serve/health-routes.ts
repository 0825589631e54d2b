import type { FastifyInstance } from 'fastify'

/** What is told to those who watch over `serve`. */
export interface HealthRoutesOptions {
  /** An event can be taken now. */
  readonly isReady: () => boolean | Promise<boolean>
  /** In the text of Prometheus. */
  readonly metrics: () => string
}

const text = 'text/plain; version=0.0.4; charset=utf-8'

/** `/healthz` (the process lives), `/readyz` (it can take an event) and `/metrics`. */
export function addHealthRoutes(app: FastifyInstance, { isReady, metrics }: HealthRoutesOptions): void {
  app.get('/healthz', (_, reply) => reply.type(text).send('ok\n'))
  app.get('/readyz', async (_, reply) => {
    const ready = await isReady()
    return reply
      .type(text)
      .code(ready ? 200 : 503)
      .send(ready ? 'ready\n' : 'not ready\n')
  })
  app.get('/metrics', (_, reply) => reply.type(text).send(metrics()))
}
