// Executes runs. It needs neither the service nor its key.
import { start } from './start.mjs'

await start('runs')
