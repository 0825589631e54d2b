import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { EnvHttpProxyAgent, fetch, type Response } from 'undici'
import { install, programFile } from './program.ts'
import { type NotFound, notFound, release, type Search, type ServerSource } from './server-source.ts'

/** For all addresses together: without a network the next source is tried after this time. */
const firstAnswerMs = 5_000
/** Between two pieces of the archive. */
const silenceMs = 30_000

/** The official archive, checked against a hash in this package. */
export const download: ServerSource = {
  name: () => 'a download',
  async find(search) {
    const { archive } = search
    if (!archive) return notFound(`no archive is known for ${process.platform} on ${process.arch}`)
    return await install(search.folder, async (workshop) => {
      const agent = new EnvHttpProxyAgent({ bodyTimeout: silenceMs })
      try {
        return await fetchProgram(archive.urls, archive.sha256, workshop, agent, search)
      } finally {
        await agent.destroy()
      }
    })
  },
}

async function fetchProgram(
  urls: readonly string[],
  sha256: string,
  workshop: string,
  agent: EnvHttpProxyAgent,
  search: Search,
): Promise<NotFound | undefined> {
  const answered = await firstAnswer(urls, agent, search.signal)
  if (!('answer' in answered)) return answered
  const { host } = new URL(answered.url)
  search.tell(`downloading the Temporal server (release ${release}) from ${host}`)
  const file = join(workshop, 'archive.tar.gz')
  const hash = createHash('sha256')
  try {
    await pipeline(answered.answer.body ?? [], createWriteStream(file))
    await pipeline(createReadStream(file), hash)
    if (hash.digest('hex') !== sha256)
      return notFound(`the file from ${host} is not the archive of ${release}`)
    await promisify(execFile)('tar', ['-xzf', file, '-C', workshop, programFile('temporal')])
    return undefined
  } catch (error) {
    return notFound(`${host}: ${reasonOf(error)}`)
  }
}

/** The first address that answers. */
async function firstAnswer(
  urls: readonly string[],
  dispatcher: EnvHttpProxyAgent,
  stop: AbortSignal | undefined,
): Promise<{ readonly url: string; readonly answer: Response } | NotFound> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(new Error('no answer in time')), firstAnswerMs)
  const signal = stop ? AbortSignal.any([deadline.signal, stop]) : deadline.signal
  const failures: string[] = []
  try {
    for (const url of urls) {
      try {
        const answer = await fetch(url, { dispatcher, signal })
        if (answer.ok) return { url, answer }
        await answer.body?.cancel()
        failures.push(`${new URL(url).host}: status ${answer.status}`)
      } catch (error) {
        failures.push(`${new URL(url).host}: ${reasonOf(error)}`)
      }
    }
    return notFound(failures.join(', '))
  } finally {
    clearTimeout(timer)
  }
}

/** The cause of a fetch error has the reason. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error
  return cause instanceof Error ? cause.message : message
}
