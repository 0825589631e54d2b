// Lets the threads that tests start be read from their source. In the main thread vitest does that itself.
import { isMainThread } from 'node:worker_threads'

if (!isMainThread) {
  const { register } = await import('tsx/esm/api')
  register()
}
