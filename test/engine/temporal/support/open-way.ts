import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A way to a server that can be watched and cut. It goes away with the test. */
export interface Way {
  readonly address: string
  /** How many connections go through it now. */
  connections(): number
  /** Ends all connections; new ones are let through. */
  cut(): void
  /** Ends all connections, also new ones, until it is called again with false: the server is away. */
  close(isClosed: boolean): void
  /** Keeps all that is on its way back, until it is called again with false. */
  hold(isHeld: boolean): void
}

export async function openWay(to: string): Promise<Way> {
  const [host = '', port = ''] = to.split(':')
  const open = new Set<Socket>()
  let isHeldNow = false
  let isClosedNow = false
  const server = createServer((socket) => {
    if (isClosedNow) return void socket.destroy()
    const other = connect(Number(port), host)
    open.add(socket)
    if (isHeldNow) socket.cork()
    for (const [one, another] of [
      [socket, other],
      [other, socket],
    ] as const) {
      one.pipe(another)
      one.on('error', () => {}).on('close', () => another.destroy())
    }
    socket.on('close', () => open.delete(socket))
  })
  const cut = (): void => {
    for (const socket of open) socket.destroy()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    cut()
    server.close()
  })
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const hold = (isHeld: boolean): void => {
    isHeldNow = isHeld
    for (const socket of open) {
      if (isHeld) socket.cork()
      else socket.uncork()
    }
  }
  const close = (isClosed: boolean): void => {
    isClosedNow = isClosed
    if (isClosed) cut()
  }
  return { address, connections: () => open.size, cut, close, hold }
}
