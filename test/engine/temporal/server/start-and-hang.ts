// A process that starts a server and says its number; then it does nothing until it is killed.
import { startDevServer } from '../../../support/temporal-server.ts'

const { processId } = await startDevServer()
process.stdout.write(`${processId}\n`)
setInterval(() => {}, 60_000)
