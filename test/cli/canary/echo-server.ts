import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** How a service behaves that tells all it was told. */
export type Manner = 'data' | 'error' | 'html' | 'redirect' | 'cut-off' | 'headers'

/** A service that says back whatever a request held, in every form, in one of many ways. */
export interface EchoServer {
  readonly url: string
  /** How it answers from now on. */
  manner: Manner
  /** How many requests it got that held this text. */
  heard(text: string): number
}

export async function startEchoServer(): Promise<EchoServer> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const said = `${request.url} ${request.rawHeaders.join(' ')} ${body}`
      requests.push(said)
      answer(echo.manner, echoes(said), response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const echo: EchoServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    manner: 'data',
    heard: (text) => requests.filter((request) => request.includes(text)).length,
  }
  return echo
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** What was said, as it was; decoded; and each word of it in the forms in which secrets travel. */
function echoes(said: string): readonly string[] {
  const plain = decodeURIComponent(said.replace(/%(?![0-9a-f]{2})/gi, '%25').replaceAll('+', '%2B'))
  const words = plain.match(/canary[^\s"&\\]*/g) ?? []
  return [
    said,
    plain,
    ...words.flatMap((word) => [
      encodeURIComponent(word),
      Buffer.from(word).toString('base64'),
      Buffer.from(word).toString('base64url'),
      JSON.stringify(word),
    ]),
  ]
}

function answer(manner: Manner, said: readonly string[], response: ServerResponse): void {
  const headers = { 'content-type': 'application/json', 'service-request-id': 'req_1' }
  const id = { request_id: 'req_1' }
  switch (manner) {
    case 'data':
      // What every operation accepts as an answer holds more than it must.
      response.writeHead(200, headers).end(
        JSON.stringify({
          ...id,
          data: {
            items: [],
            agent_id: 'a',
            application_id: 'b',
            application_name: said.join(),
            said,
            [said[1] ?? 'x']: 1,
          },
        }),
      )
      return
    case 'error':
      response
        .writeHead(400, headers)
        .end(JSON.stringify({ ...id, error: { code: 'InvalidParameter', message: said.join(' ') } }))
      return
    case 'html':
      response
        .writeHead(502, { 'content-type': 'text/html' })
        .end(`<html><h1>${said.join('<br>')}</h1></html>`)
      return
    case 'redirect':
      response
        .writeHead(302, { location: `http://127.0.0.1:9/?${encodeURIComponent(said.join())}&${said[0]}` })
        .end()
      return
    case 'cut-off':
      response.writeHead(200, { ...headers, 'content-length': 100_000 })
      response.write(JSON.stringify({ ...id, data: { said } }).slice(0, -3), () => response.destroy())
      return
    case 'headers':
      response
        .writeHead(403, {
          'content-type': `text/plain; said=${encodeURIComponent(said[1] ?? '')}`,
          'service-request-id': encodeURIComponent(said[1] ?? '').slice(0, 4000),
          'retry-after': encodeURIComponent(said[1] ?? '').slice(0, 400),
        })
        .end(said.join('\n'))
  }
}
