export { CHROMIUM_FLAGS, findChromium } from "../../tools/screenshots/chromium";

/** A part of a screenshot, as the browser itself decodes it. */
export interface Pixels {
	readonly width: number;
	readonly height: number;
	/** Colour at the top edge, in the middle: `rgb(r, g, b)`. */
	readonly edge: string;
	/** How many pixels are far darker than the part's background. */
	readonly ink: number;
}

/** JavaScript for a blank page: decodes a PNG and looks at its pixels. */
export const pixelsOf = (png: Buffer): string => `(async () => {
	const image = new Image();
	image.src = "data:image/png;base64,${png.toString("base64")}";
	await image.decode();
	const canvas = document.createElement("canvas");
	[canvas.width, canvas.height] = [image.width, image.height];
	const context = canvas.getContext("2d");
	context.drawImage(image, 0, 0);
	const { data } = context.getImageData(0, 0, image.width, image.height);
	const at = (x, y) => [...data.slice((y * image.width + x) * 4, (y * image.width + x) * 4 + 3)];
	let ink = 0;
	for (let i = 0; i < data.length; i += 4) if (data[i] + data[i + 1] + data[i + 2] < 300) ink++;
	const edge = "rgb(" + at(Math.floor(image.width / 2), 1).join(", ") + ")";
	return { width: image.width, height: image.height, edge, ink };
})()`;
