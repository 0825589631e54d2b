// Executes runs and makes their calls.
import { start } from './start.mjs'

await start('both')
