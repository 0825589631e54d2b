import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { PageAssets } from '../../../src/console/pages/index.ts'
import { renderPage } from '../../../src/console/pages/index.ts'
import { securityHeaders } from '../../../src/console/server/guard.ts'
import type { PageState } from '../../../src/console/state.ts'

type Page = () => Pick<PageState, 'page' | 'path' | 'at'> & { readonly data: object }

/** Serves pages that a test sets, with the files of a build. */
export interface StandIn {
  readonly address: string
  /** By the path of the address. */
  readonly pages: Map<string, Page>
  /** Answers of the API, by the path of the address. */
  readonly documents: Map<string, (query: URLSearchParams) => unknown>
  /** Sends an event to every stream that is open. */
  send(event: string, data: unknown): void
  /** Breaks the streams that are open, and refuses new ones while true. */
  refuseStreams(isRefused: boolean): void
  readonly streams: () => number
  close(): Promise<void>
}

/** Starts a stand-in for the server of the console. */
export async function startStandIn(folder: string): Promise<StandIn> {
  const assets = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as PageAssets
  const pages = new Map<string, Page>()
  const documents = new Map<string, (query: URLSearchParams) => unknown>()
  const streams = new Set<import('node:http').ServerResponse>()
  let isRefused = false
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand-in')
    const file = Object.values(assets).find((name) => pathname === `/assets/${name}`)
    if (file !== undefined) {
      response.setHeader('content-type', file.endsWith('.js') ? 'text/javascript' : 'text/css')
      return response.end(readFileSync(join(folder, file)))
    }
    if (pathname === '/api/v1/stream') {
      if (isRefused) return response.writeHead(503).end()
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      response.write(': hello\n\n')
      streams.add(response)
      response.on('close', () => streams.delete(response))
      return
    }
    if (pathname.endsWith('.svg')) {
      response.setHeader('content-type', 'image/svg+xml')
      return response.end('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    }
    const document = documents.get(pathname)
    if (document !== undefined) {
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify(document(searchParams)))
    }
    const shown = pages.get(pathname)
    if (shown === undefined) return response.writeHead(404).end()
    const state = shown()
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.setHeader('content-security-policy', securityHeaders['content-security-policy'] ?? '')
    response.end(renderPage(state, assets))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages,
    documents,
    send(event, data) {
      for (const stream of streams) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    },
    refuseStreams(refused) {
      isRefused = refused
      if (refused) for (const stream of streams) stream.destroy()
    },
    streams: () => streams.size,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
