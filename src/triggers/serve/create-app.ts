import { type FastifyInstance, fastify } from 'fastify'
import { addHealthRoutes, type HealthRoutesOptions } from './health-routes.ts'
import { addHookRoutes, type HookRoutesOptions } from './hook-routes.ts'

/** What the HTTP side is built from. */
export interface AppOptions extends HookRoutesOptions, HealthRoutesOptions {
  /**
   * How long a sender may take for its headers, and for the whole of a request, in milliseconds.
   * @default 5000 and 15000
   */
  readonly limitsMs?: { readonly headers: number; readonly request: number }
}

/** The largest body that is read. */
const bodyLimit = 1_048_576

/** Builds the HTTP side of `serve`. */
export function createApp(options: AppOptions): FastifyInstance {
  const { headers, request } = options.limitsMs ?? { headers: 5000, request: 15_000 }
  const app = fastify({
    bodyLimit,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    requestTimeout: request,
    keepAliveTimeout: 30_000,
    routerOptions: { maxParamLength: 64 },
    return503OnClosing: true,
    http: { headersTimeout: headers, connectionsCheckingInterval: Math.min(1000, headers) },
  })
  app.removeAllContentTypeParsers()
  addHealthRoutes(app, options)
  addHookRoutes(app, options)
  return app
}
