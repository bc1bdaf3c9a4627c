# Made by tern. For one format: gnuplot -e "FORMAT='pdf'" FILE; formats: png, svg, pdf.
if (!exists('FORMAT')) FORMAT = 'png'
if (FORMAT eq 'png') set terminal pngcairo size 1400,900 font 'DejaVu Sans,22' linewidth 2
if (FORMAT eq 'svg') set terminal svg size 700,450 font 'DejaVu Sans,11' linewidth 1 background 'white'
if (FORMAT eq 'pdf') set terminal pdfcairo size 14cm,9cm font 'DejaVu Sans,9' linewidth 1.5
set output 'roof-roofline'.'.'.FORMAT
$line1 << EOD
2 4 1
EOD
set linetype 1 linecolor rgb '#0072B2' pointtype 7 pointsize 1.1 linewidth 1.6
set linetype 2 linecolor rgb '#D55E00' pointtype 5 pointsize 1.1 linewidth 1.6
set border 3
set tics nomirror out
set grid linecolor rgb '#c8c8c8' linewidth 0.7
set key outside top center horizontal Left reverse noenhanced samplen 2.5
set xlabel 'operations a byte (FLOP/byte)'
set ylabel 'compute rate (GFLOP/s)'
set logscale xy 10
set mxtics 10
set mytics 10
set xrange [0.5:600]
set yrange [1.33333333:4500]
roof(x, rate) = x * rate < 1500 ? x * rate : 1500
set samples 800
set label 1 'fp32 multiply-add 1.5 TFLOP/s' at graph 0.98, first 2025 right noenhanced
plot roof(x, 100) with lines dashtype 2 linecolor rgb '#707070' linewidth 1.2 title 'caches 100 GB/s', \
     roof(x, 20) with lines linecolor rgb '#303030' linewidth 1.6 title 'memory 20 GB/s', \
     $line1 using 1:2 with points linetype 1 title 'a'
