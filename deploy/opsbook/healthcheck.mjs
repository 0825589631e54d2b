// Ends with 0 when the address answers that all is well. The image has nothing else that could ask.
const [address = ''] = process.argv.slice(2)
try {
  const answer = await fetch(address, { signal: AbortSignal.timeout(4_000) })
  process.stdout.write(`${answer.status} ${await answer.text()}\n`)
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  process.stderr.write(`${address}: ${error.cause?.message ?? error.message}\n`)
  process.exitCode = 1
}
