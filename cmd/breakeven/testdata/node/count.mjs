// Counts tokens with gpt-tokenizer, which shares no code with ours: of each file
// that is named, and of 200 strings of every kind. In cmd/breakeven/testdata/node:
//
//   npm ci && node count.mjs ../../../../tools/testdata/catalog.json ../../../../deploy/AGENTS.md > ../tokens.json
import { readFileSync } from 'node:fs'
import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base'

const parts = [
  'depth', ' Depth', 'below the keel', 'navigation.speedOverGround', 'environment/wind/speedApparent', "don't", "WE'RE", ' ', '   ', '\n', '\r\n\r\n', '\t',
  '3.7', '-0.5', '1234567', '0.000001', '2026-07-01T12:00:00Z', '12', '007', '{"value":4.2,"units":"m"}', '[null,true,-1e-9]', '\\u00e9', '"\\n"', '</tag>',
  'Öljysäiliö', 'réservoir d’eau', 'Größe', 'глубина', '深度は', '水深', '깊이', 'العمق', 'עומק', 'ναυτικά μίλια', 'ความลึก', '⚓', '🚢🌊', '👩‍🚒', '°', 'é', 'm/s²', '→', '–', '…',
  'const x = (a) => a ?? 0;', 'SELECT * FROM t WHERE a<>1', 'https://boat.local:3000/signalk', '!!!', '??!', '___', 'aaaaaaaaaaaaaaaa', 'ABCdefGHI', 'snake_case_name', "'s", '\u00a0', '\u200b'
]
// A generator of pseudo-random numbers, so that the strings are always the same.
let state = 20260701
const next = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * n)
}
const texts = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'))
for (let i = 0; i < 200; i++) {
  let text = ''
  for (let k = 1 + next(12); k > 0; k--) text += parts[next(parts.length)] + (next(3) ? ' ' : '')
  texts.push(text)
}
const rows = texts.map((text) => JSON.stringify({ text, cl100k_base: cl100k(text), o200k_base: o200k(text) }))
console.log('[' + rows.join(',\n') + ']')
