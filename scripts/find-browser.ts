/**
 * Makes sure that tests can start a browser: the system has one, or a package is installed into the cache. Otherwise
 * ends with 1 and prints a line for each source that was tried.
 */
import { findBrowser } from '../test/browser/find-browser.ts'

const found = await findBrowser()
if ('obstacles' in found) {
  for (const obstacle of found.obstacles) console.log(obstacle.replaceAll('\n', ' '))
  process.exitCode = 1
}
