/** A program of its own: exports one session and prints the error that it ends with, if any. */
import { createClient } from 'opsbook/api'

const [baseUrl = '', session_id = '', file = ''] = process.argv.slice(2)
const client = createClient({ baseUrl, appKey: 'sandbox-owner', proxy: 'none' })
const error: unknown = await client.exportSession({ session_id }, { file }).then(
  () => null,
  (thrown: Error) => ({ ...thrown, message: thrown.message }),
)
process.stdout.write(JSON.stringify(error))
await client.close()
