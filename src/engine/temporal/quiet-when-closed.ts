import type { ConnectionOptions } from '@temporalio/client'

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number]

/** What a call that nobody waits for any more is in the place of one on the wire. */
const nothing = {
  start() {},
  sendMessage() {},
  sendMessageWithContext() {},
  halfClose() {},
  cancelWithStatus() {},
}

/**
 * Keeps a call that the SDK tries again, once its connection is closed, from ending the process: it is tried from a timer,
 * where nobody could catch that there is no connection. Belongs below what tries again.
 */
export const quietWhenClosed: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as ReturnType<Interceptor>
  } catch {
    return nothing as unknown as ReturnType<Interceptor>
  }
}
