import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findServer, officialArchive } from '../../../../src/cli/dev/server/find-server.ts'
import { cache, newHome } from './new-home.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Hands out an archive with a program in it, under `/archive`, and nothing else. */
async function openShop(): Promise<{ readonly address: string; readonly sha256: string }> {
  const home = await newHome({ temporal: 'echo "GOOD"', LICENSE: '' })
  execFileSync('tar', ['-czf', 'archive.tar.gz', 'LICENSE', 'temporal'], { cwd: home })
  const bytes = await readFile(join(home, 'archive.tar.gz'))
  const server = createServer((request, response) => {
    if (request.url === '/elsewhere') response.writeHead(302, { location: '/archive' }).end()
    else if (request.url === '/archive') response.end(bytes)
    else if (request.url === '/half') {
      response.writeHead(200, { 'content-length': bytes.length })
      response.write(bytes.subarray(0, 20), () => response.destroy())
    } else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sha256: sha256(bytes) }
}

const shop = openShop
const search = async (url: string, hash: string) => {
  const home = await newHome({})
  const environment = { HOME: home, PATH: join(home, 'bin') }
  const archive = { url, sha256: hash }
  const found = await findServer({ environment, archive, tell: () => {} }).catch((error) => error)
  return { found, left: await readdir(join(home, cache)), path: join(home, cache, 'temporal') }
}

it('puts the program into the cache', async () => {
  const { address, sha256 } = await shop()
  const { found, left, path } = await search(`${address}/elsewhere`, sha256)
  expect(found).toBe(path)
  expect(left).toEqual(['temporal'])
})

it.each([
  ['another archive', 'archive', '0'.repeat(64), 'is not the archive of'],
  ['an archive that breaks off', 'half', '', 'a download: '],
  ['nothing', 'nothing', '', 'status 404'],
])('refuses %s', async (_, name, hash, message) => {
  const { address, sha256 } = await shop()
  const { found, left } = await search(`${address}/${name}`, hash || sha256)
  expect(found).toMatchObject({ code: 'TemporalUnavailable', message: expect.stringContaining(message) })
  expect(left).toEqual([])
})

it.each([
  ['linux', 'x64', 'linux_amd64'],
  ['linux', 'arm64', 'linux_arm64'],
  ['darwin', 'x64', 'darwin_amd64'],
  ['darwin', 'arm64', 'darwin_arm64'],
])('knows an archive for %s on %s', (platform, architecture, name) => {
  const archive = officialArchive(platform, architecture)
  expect(archive?.sha256).toMatch(/^[0-9a-f]{64}$/)
  expect(archive?.url).toMatch(new RegExp(`^https://.*_${name}\\.tar\\.gz$`))
})

it('knows none for other systems', () => {
  expect(officialArchive('win32', 'x64')).toBeUndefined()
  expect(officialArchive('linux', 'ia32')).toBeUndefined()
})
