import type { FastifyRequest } from 'fastify'

/** The addresses that a console knows as its own. */
export interface OwnAddress {
  /** The origin that the `Host` of a request stands for. Undefined: that is not this console. */
  originOf(request: FastifyRequest): string | undefined
}

const loopback = ['127.0.0.1', 'localhost', '[::1]']

/** This machine with the port of the listener, and the host of the public URL. */
export function createOwnAddress(publicUrl: URL | undefined): OwnAddress {
  return {
    originOf({ headers, socket }) {
      const host = headers.host?.toLowerCase() ?? ''
      if (publicUrl !== undefined && withoutUsualPort(host, publicUrl.protocol) === publicUrl.host)
        return publicUrl.origin
      if (socket.localPort === undefined) return undefined
      // Clients leave out the port that their protocol has anyway, and origins never have it.
      const given = withoutUsualPort(host, 'http:')
      const own = loopback.map((name) => withoutUsualPort(`${name}:${socket.localPort}`, 'http:'))
      return own.includes(given) ? `http://${given}` : undefined
    },
  }
}

function withoutUsualPort(host: string, protocol: string): string {
  return host.replace(protocol === 'https:' ? /:443$/ : /:80$/, '')
}
