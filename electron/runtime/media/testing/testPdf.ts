/** For tests: real PDF documents, written here byte by byte. */

import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

export interface PdfWish {
  /** One text for each page; "" leaves it empty. CJK and other letters are written in a CJK font. */
  pages: readonly string[];
  title?: string;
  /** Draws a black bar on pages without text, as a scan would have something to see. */
  isScan?: boolean;
  /** Asks for this password. */
  password?: string;
  /** Width and height of a page in points. */
  size?: readonly [number, number];
}

/** Lines of a page are separated by line breaks. */
export function makePdf(wish: PdfWish): Buffer {
  const { pages, size = [612, 792] } = wish;
  const objects: string[] = [];
  const add = (text: string) => objects.push(text);
  const firstPage = 7;
  const kids = pages.map((_, index) => `${firstPage + index * 2} 0 R`).join(" ");
  add("<</Type/Catalog/Pages 2 0 R>>");
  add(`<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`);
  add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
  add("<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[5 0 R]>>");
  add(
    "<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 4>>/FontDescriptor 6 0 R>>",
  );
  add(
    "<</Type/FontDescriptor/FontName/STSong-Light/Flags 6/FontBBox[-25 -254 1000 880]/ItalicAngle 0/Ascent 880/Descent -120/CapHeight 880/StemV 93>>",
  );
  for (const [index, text] of pages.entries()) {
    const content = contentOf(text, wish.isScan === true, size[1]);
    add(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${size[0]} ${size[1]}]/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>/Contents ${firstPage + index * 2 + 1} 0 R>>`,
    );
    add(`<</Length ${content.length}>>stream\n${content}\nendstream`);
  }
  const id = "0123456789abcdef0123456789abcdef";
  let trailer = `/Root 1 0 R/ID[<${id}><${id}>]`;
  if (wish.title !== undefined) {
    add(`<</Title<feff${utf16(wish.title)}>>>`);
    trailer += `/Info ${objects.length} 0 R`;
  }
  if (wish.password !== undefined) {
    add(encryption(wish.password, Buffer.from(id, "hex")));
    trailer += `/Encrypt ${objects.length} 0 R`;
  }
  return assemble(objects, trailer);
}

/** A page whose content unpacks, in two steps, to far more than its bytes. */
export function bombPdf(unpackedBytes: number): Buffer {
  const packed = deflateSync(deflateSync(Buffer.alloc(unpackedBytes, " "))).toString("latin1");
  return assemble(
    [
      "<</Type/Catalog/Pages 2 0 R>>",
      "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>",
      `<</Length ${packed.length}/Filter[/FlateDecode/FlateDecode]>>stream\n${packed}\nendstream`,
    ],
    "/Root 1 0 R",
  );
}

function contentOf(text: string, isScan: boolean, height: number): string {
  if (text === "") return isScan ? "0 0 0 rg 72 400 300 40 re f" : "";
  const lines = text.split("\n").map((line) => {
    const isLatin = /^[\x20-\x7e]*$/.test(line);
    const shown = isLatin ? `(${line.replace(/[\\()]/g, "\\$&")})` : `<${utf16(line)}>`;
    return `/${isLatin ? "F1" : "F2"} 12 Tf ${shown} Tj 0 -16 Td`;
  });
  return `BT 72 ${height - 72} Td ${lines.join("\n")} ET`;
}

function utf16(text: string): string {
  return Buffer.from(text, "utf16le").swap16().toString("hex");
}

function assemble(objects: readonly string[], trailer: string): Buffer {
  let text = "%PDF-1.7\n";
  const offsets = objects.map((body, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj${body}endobj\n`;
    return at;
  });
  const start = text.length;
  const rows = offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  text += `trailer<</Size ${objects.length + 1}${trailer}>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}

const padding = Buffer.from("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A", "hex");

/** The standard handler, revision 2 (ISO 32000-1, 7.6.3). */
function encryption(password: string, id: Buffer): string {
  const padded = Buffer.concat([Buffer.from(password, "latin1"), padding]).subarray(0, 32);
  const permissions = Buffer.from([0xfc, 0xff, 0xff, 0xff]);
  const owner = rc4(md5(padded).subarray(0, 5), padded);
  const key = md5(Buffer.concat([padded, owner, permissions, id])).subarray(0, 5);
  return `<</Filter/Standard/V 1/R 2/P -4/O<${owner.toString("hex")}>/U<${rc4(key, padding).toString("hex")}>>>`;
}

function md5(bytes: Buffer): Buffer {
  return createHash("md5").update(bytes).digest();
}

function rc4(key: Buffer, bytes: Buffer): Buffer {
  const box = Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number) => box[index & 255] ?? 0;
  const swap = (one: number, other: number) => {
    const kept = at(one);
    box[one & 255] = at(other);
    box[other & 255] = kept;
  };
  let other = 0;
  for (let index = 0; index < 256; index += 1) {
    other = (other + at(index) + (key[index % key.length] ?? 0)) & 255;
    swap(index, other);
  }
  let first = 0;
  let second = 0;
  return Buffer.from(
    bytes.map((byte) => {
      first = (first + 1) & 255;
      second = (second + at(first)) & 255;
      swap(first, second);
      return byte ^ at(at(first) + at(second));
    }),
  );
}
