import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { libraryFolder } from '../../engine/index.ts'
import type { PageAssets } from '../pages/index.ts'
import { ConsoleError } from './problem.ts'
import type { Route } from './route.ts'

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

let known: { readonly names: PageAssets; readonly texts: ReadonlyMap<string, string> } | undefined

/** The files that the build has made for browsers, in memory. Nothing else of the folder is served. */
function readAssets(): NonNullable<typeof known> {
  if (known !== undefined) return known
  const folder = join(libraryFolder(), 'dist/console')
  const names = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as PageAssets
  const texts = new Map(Object.values(names).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  known = { names, texts }
  return known
}

/** The names of the files that every page loads. */
export function assetNames(): PageAssets {
  return readAssets().names
}

/** The files of the pages. Their names hold their hashes, so that a browser keeps them. */
export function assetRoutes(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/assets/*',
      access: 'anyone',
      async handle({ params }, reply) {
        const { '*': name } = params as { readonly '*': string }
        const text = readAssets().texts.get(name)
        if (text === undefined)
          throw new ConsoleError({
            status: 404,
            code: 'NotFound',
            detail: 'the console has no such file',
            hint: 'load the page again: the console may have been updated',
          })
        await reply
          .type(types[extname(name)] ?? 'application/octet-stream')
          .header('cache-control', 'public, max-age=31536000, immutable')
          .send(text)
        return undefined
      },
    },
  ]
}
