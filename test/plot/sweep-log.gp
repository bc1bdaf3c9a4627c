# Made by tern. For one format: gnuplot -e "FORMAT='pdf'" FILE; formats: png, svg, pdf.
if (!exists('FORMAT')) FORMAT = 'png'
if (FORMAT eq 'png') set terminal pngcairo size 1400,900 font 'DejaVu Sans,22' linewidth 2
if (FORMAT eq 'svg') set terminal svg size 700,450 font 'DejaVu Sans,11' linewidth 1 background 'white'
if (FORMAT eq 'pdf') set terminal pdfcairo size 14cm,9cm font 'DejaVu Sans,9' linewidth 1.5
set output 'square() performance'.'.'.FORMAT
$line1 << EOD
256 12.5 12 13
EOD
$line2 << EOD
256 1234.5678 1234.5678 1234.5678
EOD
set linetype 1 linecolor rgb '#0072B2' pointtype 7 pointsize 1.1 linewidth 1.6
set linetype 2 linecolor rgb '#D55E00' pointtype 5 pointsize 1.1 linewidth 1.6
set border 3
set tics nomirror out
set grid linecolor rgb '#c8c8c8' linewidth 0.7
set key outside top center horizontal Left reverse noenhanced samplen 2.5
set xlabel 'N' noenhanced
set ylabel 'GB/s' noenhanced
set logscale x 2
set format x '2^{%L}'
set xtics 256, 2
set mxtics 1
set xrange [250.731596:522.758208]
set yrange [0:*]
set offsets graph 0, graph 0, graph 0.05, graph 0
plot $line1 using 1:3:4 with filledcurves fillstyle transparent solid 0.18 noborder linetype 1 notitle, \
     $line1 using 1:2 with linespoints linetype 1 title 'tern', \
     $line2 using 1:2 with linespoints linetype 2 title 'it''s, "new"', \
     100 with lines dashtype 2 linecolor rgb '#707070' linewidth 1.2 title 'copy'
